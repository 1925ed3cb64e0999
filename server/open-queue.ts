import type { Config } from '#platform/runtime/settings/config.ts';
import type { Log } from '#platform/runtime/log.ts';
import { makePostgresQueue, type PostgresQueueOptions } from '#server/queue/postgres/engine.ts';
import type { Queue } from '#server/queue/queue.ts';
import type { Runtime } from './runtime.ts';

type QueueDeps = Omit<PostgresQueueOptions, 'visibilityTimeoutMs' | 'retentionDays'>;

/** Chooses the queue engine. The AWS SDK is only loaded when `QUEUE_URL` is set. */
export async function makeQueue(config: Config, deps: QueueDeps): Promise<Queue> {
  const { queueUrl, queueDeadLetterUrl, visibilityTimeoutMs, retentionDays } = config;
  const options = { ...deps, visibilityTimeoutMs, retentionDays };
  if (queueUrl === undefined) return makePostgresQueue(options);
  const { makeSqsQueue } = await import('#server/queue/sqs/engine.ts');
  return makeSqsQueue({ ...options, queueUrl, deadLetterUrl: queueDeadLetterUrl });
}

/**
 * The queue for operator commands: dead letters and depth, without receiving. Uses the worker's database role, because the
 * role of the api sees the dead letters of only one integration at a time.
 */
export function openQueue({ open, sealer }: Runtime, config: Config, log: Log): Promise<Queue> {
  return makeQueue(config, { db: open('forgewatch_worker'), sealer, log });
}
