import type { Registry } from 'prom-client';
import type { Database } from '#platform/database/database.ts';
import type { Listener } from '#platform/database/listener.ts';
import type { Clock } from '#platform/runtime/clock.ts';
import type { Config } from '#platform/runtime/settings/config.ts';
import type { Log } from '#platform/runtime/log.ts';
import type { DrainNotice } from '#server/operations/drain-notice.ts';
import type { Queue } from '#server/queue/queue.ts';
import type { SampleForge } from '#server/simulate/sample-forge/sample-forge.ts';
import type { Runtime } from './runtime.ts';

/** Dependencies of both roles. */
export interface RoleDeps {
  config: Config;
  log: Log;
  runtime: Runtime;
  metrics: Registry;
  listener: Listener;
  clock: Clock;
  db: Database;
  queue: Queue;
  /** The forge of the sample traffic; only with the demo sign-in, where one process has both roles. */
  sampleForge: SampleForge | undefined;
}

export interface ApiDeps extends RoleDeps {
  /** Rejects while the database or queue is not available. */
  checkReady(): Promise<void>;
  drainNotice: DrainNotice;
}
