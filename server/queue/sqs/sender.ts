import { makeBatcher, type Batcher } from '#platform/runtime/tasks/batcher.ts';
import { sqsBatchBytes, sqsBatchMessages, sqsConcurrentSends } from '../policy.ts';
import type { EnqueueResult } from '../queue.ts';
import { sqsMessageBytes, type SendBatch, type SqsMessage } from './send.ts';

export type SqsSender = Batcher<SqsMessage, EnqueueResult>;

/**
 * Concurrent messages share calls to Amazon SQS. Several calls run at a time, but never two with the same group, so the
 * order within a group is kept.
 */
export function makeSqsSender(sendBatch: SendBatch): SqsSender {
  return makeBatcher({
    maxItems: sqsBatchMessages,
    maxWeight: sqsBatchBytes,
    weigh: sqsMessageBytes,
    keyOf: ({ groupId }) => groupId,
    concurrency: sqsConcurrentSends,
    work: sendBatch,
  });
}
