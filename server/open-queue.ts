import type { Config } from '#platform/runtime/config.ts';
import type { Log } from '#platform/runtime/log.ts';
import { makePostgresQueue } from '#server/queue/postgres/engine.ts';
import type { Queue } from '#server/queue/queue.ts';
import type { Deployment } from './deployment.ts';

/** The queue as an operator's command needs it: its dead letters and depth, without receiving. */
export function openQueue(deployment: Deployment, config: Config, log: Log): Queue {
  return makePostgresQueue({
    db: deployment.open('forgewatch_api'),
    sealer: deployment.sealer,
    log,
    visibilityTimeoutMs: config.visibilityTimeoutMs,
    retentionDays: config.retentionDays,
  });
}
