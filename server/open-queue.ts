import type { Config } from '#platform/runtime/settings/config.ts';
import type { Log } from '#platform/runtime/log.ts';
import { makePostgresQueue, type PostgresQueueOptions } from '#server/queue/postgres/engine.ts';
import type { Queue } from '#server/queue/queue.ts';
import type { Runtime } from './runtime.ts';

type QueueParts = Omit<PostgresQueueOptions, 'visibilityTimeoutMs' | 'retentionDays'>;

/** The one place that chooses the engine. The AWS SDK is read when `QUEUE_URL` is set, and only then. */
export async function makeQueue(config: Config, parts: QueueParts): Promise<Queue> {
  const { queueUrl, queueDeadLetterUrl, visibilityTimeoutMs, retentionDays } = config;
  const options = { ...parts, visibilityTimeoutMs, retentionDays };
  if (queueUrl === undefined) return makePostgresQueue(options);
  const { makeSqsQueue } = await import('#server/queue/sqs/engine.ts');
  return makeSqsQueue({ ...options, queueUrl, deadLetterUrl: queueDeadLetterUrl });
}

/**
 * The queue as an operator's command needs it: its dead letters and depth, without receiving. The api's role sees the dead
 * letters of one integration at a time.
 */
export function openQueue({ open, sealer }: Runtime, config: Config, log: Log): Promise<Queue> {
  return makeQueue(config, { db: open('forgewatch_worker'), sealer, log });
}
