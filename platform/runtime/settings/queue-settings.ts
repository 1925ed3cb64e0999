import * as type from './setting-types.ts';
import type { Read } from './setting.ts';

/** Size limit of webhooks, the queue and the worker. */
export function readQueueSettings(read: Read, cores: number) {
  const workerTimeoutSeconds = read({
    name: 'WORKER_TIMEOUT_SECONDS',
    default: '30',
    meaning: 'time limit of one batch; the visibility timeout is 1.5 times this',
    parse: type.integer(1, 900),
  });
  return {
    webhookMaxBytes: read({
      name: 'WEBHOOK_MAX_BYTES',
      default: '26214400',
      meaning: 'largest accepted webhook body',
      parse: type.integer(1, 104857600),
    }),
    queueUrl: read({
      name: 'QUEUE_URL',
      default: 'unset: queue in Postgres',
      meaning:
        'URL of an Amazon SQS FIFO queue (see `deploy/aws`); region, endpoint and credentials come from the standard AWS variables',
      parse: type.fifoQueueUrl,
    }),
    queueDeadLetterUrl: read({
      name: 'QUEUE_DLQ_URL',
      default: 'unset: the one in the redrive policy of QUEUE_URL',
      meaning: 'URL of the dead-letter queue of QUEUE_URL, if it has another address',
      parse: type.fifoQueueUrl,
    }),
    workerTimeoutMs: workerTimeoutSeconds * 1000,
    visibilityTimeoutMs: workerTimeoutSeconds * 1500,
    workerConcurrency: read({
      name: 'WORKER_CONCURRENCY',
      // Each batch uses one connection of the pool.
      default: String(Math.min(32, Math.max(2, cores))),
      meaning: 'number of batches processed in parallel; the default is the number of cores, from 2 to 32',
      parse: type.integer(1, 64),
    }),
  };
}
