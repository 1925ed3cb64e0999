import { dayMs, hourMs, minuteMs } from '#platform/runtime/time-units.ts';

/** Every number of the queue with its reason, except the visibility timeout: it depends on WORKER_TIMEOUT_SECONDS. */

/** Maximum number of messages in a batch. */
export const batchSize = 10;

/**
 * Batches that a worker claims together when enough messages wait. They share a claim and a transaction, which costs a third
 * of a transaction for each. See docs/decisions/0011-batches-share-a-transaction.md.
 */
export const maxBatchesPerClaim = 32;

/** Bytes of a message body before compression. Larger payloads are stored separately and queued by reference. */
export const maxMessageBytes = 1024 * 1024;

/** How long a receiver waits for messages before it asks again. */
export const pollWaitMs = 5_000;

/** A message that no worker received within this time becomes a dead letter. */
export const messageRetentionMs = dayMs;

/** A worker receives for this time before it ends old messages: after an outage or in a restored backup, many wait. */
export const backlogMs = 10 * minuteMs;

/** Operators have two weeks to look at failed messages. */
export const deadLetterRetentionDays = 14;
export const deadLetterRetentionMs = deadLetterRetentionDays * dayMs;

/**
 * How long a large payload is kept after it was stored or last read by a worker: as long as a delivery shows it, or a dead
 * letter can be retried. Deliveries are deleted by whole weeks, a day late, and a replayed one is read within a day.
 * `maxBufferedMs` is how long a message may stay in another queue before it reaches the log.
 */
export function largePayloadRetentionMs(retentionDays: number, maxBufferedMs: number): number {
  const shownMs = (retentionDays + 7 + 1 + 1) * dayMs;
  const redrivableMs = messageRetentionMs + deadLetterRetentionMs + messageRetentionMs;
  return maxBufferedMs + Math.max(shownMs, redrivableMs);
}

/** Forges redeliver within a day. The extra hour covers a delivery that is in transit at the limit. */
export const deduplicationMs = 25 * hourMs;

/**
 * Limits of one commit, and so of a segment. A segment is opened whole to read one of its messages. A larger commit would
 * only delay its first requests.
 */
export const flushMessages = 256;
export const flushBytes = 1024 * 1024;

/** Bytes of bodies that a claim takes at most. A first message is taken in any case. */
export const claimBytes = 8 * 1024 * 1024;

/** Opened segments that a process keeps in memory for messages that wait: those that it sent, and those of earlier claims. */
export const openedSegments = 256;
export const openedSegmentBytes = 32 * 1024 * 1024;

/** How often leases are checked at most. The messages of a dead worker wait this much longer than their lease. */
export const sweepEveryMs = 1_000;

/**
 * How often a lease is looked for whose send may still be written. Postgres ends the statement of a lost connection within 30
 * seconds, and a sweep that finds the database away does not count.
 */
export const lostLeaseLooks = 60;

/** Partitions and expired rows change slowly. */
export const housekeepingEveryMs = 10 * 60_000;

/** Messages that a sweep or a redrive moves in one transaction: a few MiB, about ten milliseconds. */
export const sweepBatch = 500;

/** Wake-ups for other processes are combined over this time: one NOTIFY per message would cost more than the message. */
export const notifyEveryMs = 10;

/** Operators learn about a dead letter within seconds. A check costs two index look-ups. */
export const alarmEveryMs = 2_000;

/** The alarm repeats while dead letters exist, in case the first one was missed. */
export const alarmRepeatMs = hourMs;
export const alarmWebhookTimeoutMs = 10_000;

/** The longest retention that Amazon SQS offers. */
export const sqsRetentionMs = 14 * dayMs;

/** GitHub closes a webhook request after ten seconds and does not send it again by itself. */
export const webhookAnswerMs = 8_000;

/** A send that takes longer fails, and the next one uses another connection. It may still be written later. */
export const sendTimeoutMs = 7_000;

/** Limits of Amazon SQS for one call: number of messages, and bytes of all of them. */
export const sqsBatchMessages = 10;
export const sqsBatchBytes = 1024 * 1024;

/** Bytes reserved for the envelope around a body. */
export const sqsEnvelopeBytes = 4096;

/** Concurrent calls, each for different groups. One call takes about ten milliseconds. */
export const sqsConcurrentSends = 8;

/** The deduplication interval of Amazon SQS. */
export const sqsDeduplicationMs = 5 * 60_000;

/** A message is sent without a duplicate check when the database takes longer. The fetch finds the duplicate then. */
export const sqsDuplicateCheckMs = 1_000;

/** How often messages of receivers that died are collected. No request waits for them. */
export const sqsCollectEveryMs = 5_000;

/** Amazon SQS answers within milliseconds, except to a receive that waits up to five seconds. */
export const sqsConnectTimeoutMs = 3_000;
export const sqsRequestTimeoutMs = 30_000;
