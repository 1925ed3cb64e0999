import type { DiskGuard } from '#platform/database/disk-guard.ts';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import type { DrainNotice } from '#server/operations/drain-notice.ts';
import type { Quotas } from '#server/quotas/quotas.ts';
import type { Queue } from '#server/queue/queue.ts';
import type { SampleForge } from '#server/simulate/sample-forge/sample-forge.ts';
import type { Runtime } from './runtime.ts';

/** What a process does. Any number of processes of each role can share one database. */
export type ProcessRole = 'api' | 'worker';

/** Dependencies of both roles. */
export interface RoleDeps extends Pick<
  SharedDeps,
  'db' | 'log' | 'clock' | 'config' | 'listener' | 'metrics'
> {
  runtime: Runtime;
  queue: Queue;
  disk: DiskGuard;
  quotas: Quotas;
  /** The forge of the sample traffic; only with the demo sign-in, where one process has both roles. */
  sampleForge: SampleForge | undefined;
}

export interface ApiDeps extends RoleDeps {
  /** Rejects while the database or queue is not available. */
  checkReady(): Promise<void>;
  drainNotice: DrainNotice;
}
