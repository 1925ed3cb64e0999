import type { Registry } from 'prom-client';
import type { Database } from '../database/database.ts';
import type { Listener } from '../database/listener.ts';
import type { Clock } from './clock.ts';
import type { Log } from './log.ts';
import type { Sealer } from './secrets/sealing.ts';
import type { Config } from './settings/config.ts';

/** What most modules share in a process. Each declares the ones that it uses, with `Pick`. */
export interface SharedDeps {
  config: Config;
  db: Database;
  listener: Listener;
  log: Log;
  clock: Clock;
  sealer: Sealer;
  metrics: Registry;
}
