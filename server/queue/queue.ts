import type { Tx } from '#platform/database/database.ts';
import type { Service } from '#platform/runtime/service.ts';

/** The interface of both engines. The numbers that it promises are in `policy.ts`. */
export interface Queue extends Service {
  /**
   * Resolves once the message is durable, or known to be a duplicate of one that is pending or processed. Calls made at
   * the same time share one durable write.
   * @throws MessageTooLargeError above 1 MiB; after any other error the message may still be stored: a repeat is a duplicate then.
   */
  send(message: OutgoingMessage): Promise<EnqueueResult>;
  /**
   * Waits up to `waitMs` for messages, woken at once by a new one. A claim may hold several messages of one group, in
   * order; no other receiver gets messages of these groups until it is settled or its lease runs out.
   * Undefined when nothing came or `signal` was aborted.
   */
  receive(options: ReceiveOptions): Promise<Claim | undefined>;
  depth(): Promise<QueueDepth>;
  /** Resolves when the queue answers. The cost does not depend on the number of messages. */
  ping(): Promise<void>;
  readonly deadLetters: DeadLetters;
}

/** Bytes that are only copied: a buffer, or a body in parts, which are joined where they are written. */
export type Bytes = Pick<Buffer, 'length'> & { copy(target: Buffer, start: number): number };

export interface OutgoingMessage {
  /** Order holds inside a group. The integration's id, or `forge-app:<installation id>`. */
  groupId: string;
  deduplicationId: string;
  /** JSON in UTF-8. */
  body: Bytes;
}

export type EnqueueResult = 'queued' | 'duplicate';

export interface ReceiveOptions {
  maxMessages: number;
  waitMs: number;
  /** Waits for a wake-up before it looks for messages: the last claim found that none waits. */
  waitsFirst?: boolean;
  signal: AbortSignal;
}

/** The shape an SQS event source hands to a function, so that `processBatches` runs behind either engine. */
export interface QueueRecord {
  messageId: string;
  /** Read once: the queue in Postgres makes the text each time. */
  readonly body: string;
  attributes: {
    MessageGroupId: string;
    MessageDeduplicationId: string;
    /** Milliseconds since the epoch, in digits. */
    SentTimestamp: string;
    ApproximateReceiveCount: string;
  };
}

/** Messages that were received together. */
export interface Claim {
  readonly records: readonly QueueRecord[];
  /** True once it was settled and the queue knows that no message waits behind its own. */
  readonly isLast: boolean;
  /**
   * Removes the messages from the queue. Failed messages become dead letters with their reason, and the groups continue.
   * With `tx`, the removal commits together with the effects in that transaction.
   * @throws LeaseLostError when the lease expired. Roll back: another receiver may have the messages.
   */
  settle(failures: readonly MessageFailure[], tx?: Tx): Promise<void>;
  /** Returns the messages to the queue after a failure that none of them caused. */
  giveBack(): Promise<void>;
}

export interface MessageFailure {
  messageId: string;
  /** A stable word such as `invalid_json`; `expired` and `abandoned` are the queue's own. */
  reason: string;
  /** What a person needs to fix the cause. Contains nothing of the payload. */
  detail?: string;
}

/** Counts of messages. */
export interface QueueDepth {
  ready: number;
  inFlight: number;
  dead: number;
  /** Age of the oldest message in Postgres that was not processed; 0 when there is none. */
  oldestSeconds: number;
}

export interface DeadLetter {
  messageId: string;
  groupId: string;
  reason: string;
  detail: string | null;
  sentAt: Date;
  deadAt: Date;
}

export interface DeadLetters {
  list(options?: DeadLetterFilter & { limit?: number; after?: string }): Promise<DeadLetter[]>;
  /** Puts dead letters back at the end of their groups. Returns how many. */
  redrive(filter: DeadLetterFilter): Promise<number>;
  drop(filter: DeadLetterFilter): Promise<number>;
}

/** All dead letters, those of one group, or those with the given ids (within the group when both are given). */
export interface DeadLetterFilter {
  groupId?: string;
  messageIds?: readonly string[];
}

export class MessageTooLargeError extends Error {}

export class LeaseLostError extends Error {}
