import { hourMs, dayMs } from '#platform/runtime/time-units.ts';

/** Every number of the queue with its reason (specification 6.3 and 8). The visibility timeout follows the worker's. */

/** Messages a batch holds at most. */
export const batchSize = 10;

/**
 * Batches that a worker takes at once when so many wait: they share a claim, a transaction and a settle, and each event costs
 * half as much. See docs/decisions/0011-batches-share-a-transaction.md.
 */
export const maxBatchesPerClaim = 4;

/** A message's body, before compression. Larger payloads are kept apart and queued by reference. */
export const maxMessageBytes = 1024 * 1024;

/** How long a receiver waits for messages before it asks again. */
export const pollWaitMs = 5_000;

/** What nobody took by then goes to the dead letters. */
export const messageRetentionMs = dayMs;

/** Two weeks to look at what failed. */
export const deadLetterRetentionDays = 14;
export const deadLetterRetentionMs = deadLetterRetentionDays * dayMs;

/**
 * How long a large payload is kept since a worker last read it, or since it was stored: as long as a delivery shows it, or a
 * dead letter may be redriven. Deliveries go by whole weeks, a day late, and one that is replayed at the last is read within a
 * day. `maxBufferedMs` is how long a message may be on its way here.
 */
export function largePayloadRetentionMs(retentionDays: number, maxBufferedMs: number): number {
  const shownMs = (retentionDays + 7 + 1 + 1) * dayMs;
  const redrivableMs = messageRetentionMs + deadLetterRetentionMs + messageRetentionMs;
  return maxBufferedMs + Math.max(shownMs, redrivableMs);
}

/** A redelivery within a day is known; the hour covers one that is under way at the border. */
export const deduplicationMs = 25 * hourMs;

/** Requests that share one commit: more would only make the first ones wait. */
export const flushMessages = 256;
export const flushBytes = 4 * 1024 * 1024;

/** Leases are looked at this often at most; a message of a dead worker waits this much longer than its lease. */
export const sweepEveryMs = 1_000;

/** Partitions and what is forgotten change slowly. */
export const housekeepingEveryMs = 10 * 60_000;

/** Messages that a sweep or a redrive moves in one transaction: a few MiB, some ten milliseconds. */
export const sweepBatch = 500;

/** Wake-ups for other processes are joined over this time: a notification each would cost more than the message. */
export const notifyEveryMs = 10;

/** Somebody should hear of a dead letter within seconds; looking costs two index look-ups. */
export const alarmEveryMs = 2_000;

/** While it stands the alarm is repeated, should the first one have been missed. */
export const alarmRepeatMs = hourMs;
export const alarmWebhookTimeoutMs = 10_000;

/** The longest that Amazon SQS keeps what nobody fetches. */
export const sqsRetentionMs = 14 * dayMs;

/** What Amazon SQS takes in one call: so many messages, and so many bytes of them together. */
export const sqsBatchMessages = 10;
export const sqsBatchBytes = 1024 * 1024;

/** Room for what stands around a body in one message. */
export const sqsEnvelopeBytes = 4096;

/** Sends under way at once, each for other groups: one call takes some ten milliseconds. */
export const sqsConcurrentSends = 8;

/** Amazon SQS itself knows a repeat for so long. */
export const sqsDeduplicationMs = 5 * 60_000;

/** A send goes out without knowing whether it is a repeat rather than wait longer for the database. */
export const sqsDuplicateCheckMs = 1_000;

/** The forge waits ten seconds for its answer. */
export const sqsSendTimeoutMs = 8_000;

/** What a receiver got that died before it had stored it; nobody waits for it. */
export const sqsCollectEveryMs = 5_000;

/** Amazon SQS answers within milliseconds, but for a receiver that waits its five seconds. */
export const sqsConnectTimeoutMs = 3_000;
export const sqsRequestTimeoutMs = 30_000;
