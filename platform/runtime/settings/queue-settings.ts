import * as type from './setting-types.ts';
import type { Read } from './settings.ts';

/** What is taken in, where it waits, and how fast it is worked off. */
export function readQueueSettings(read: Read, cores: number) {
  const workerTimeoutSeconds = read({
    name: 'WORKER_TIMEOUT_SECONDS',
    default: '30',
    meaning: 'bound on one batch; the visibility timeout is 1.5 times this',
    parse: type.integer(1, 900),
  });
  return {
    webhookMaxBytes: read({
      name: 'WEBHOOK_MAX_BYTES',
      default: '26214400',
      meaning: 'largest webhook body that is accepted',
      parse: type.integer(1, 104857600),
    }),
    queueUrl: read({
      name: 'QUEUE_URL',
      default: 'unset: queue in Postgres',
      meaning:
        'an Amazon SQS FIFO queue, see `deploy/aws`; region, endpoint and credentials come from the standard AWS variables',
      parse: type.fifoQueueUrl,
    }),
    queueDeadLetterUrl: read({
      name: 'QUEUE_DLQ_URL',
      default: 'unset: the one that the redrive policy of QUEUE_URL names',
      meaning: 'its dead-letter queue, where that is reached at another address',
      parse: type.fifoQueueUrl,
    }),
    workerTimeoutMs: workerTimeoutSeconds * 1000,
    visibilityTimeoutMs: workerTimeoutSeconds * 1500,
    workerConcurrency: read({
      name: 'WORKER_CONCURRENCY',
      // Each holds a connection of the pool.
      default: String(Math.min(32, Math.max(2, cores))),
      meaning: 'batches in progress at once; the default is the number of cores, from 2 to 32',
      parse: type.integer(1, 64),
    }),
  };
}
