import type { Tx } from '#platform/database/database.ts';
import type { Service } from '#platform/runtime/service.ts';

/** The port both engines implement. Every number it promises stands in `policy.ts`. */
export interface Queue extends Service {
  /**
   * Resolves once the message is durable, or known to be a duplicate of one that is pending or processed. Calls made at
   * the same time share one durable write.
   * @throws MessageTooLargeError above 1 MiB; any other error means that nothing was accepted.
   */
  send(message: OutgoingMessage): Promise<EnqueueResult>;
  /**
   * Waits up to `waitMs` for messages, woken at once by a new one. A claim may hold several messages of one group, in
   * order; no other receiver gets messages of these groups until it is settled or its lease runs out.
   * Undefined when nothing came or `signal` was aborted.
   */
  receive(options: ReceiveOptions): Promise<Claim | undefined>;
  depth(): Promise<QueueDepth>;
  /** Resolves when the queue answers, at a cost that does not grow with what lies in it. */
  ping(): Promise<void>;
  readonly deadLetters: DeadLetters;
}

export interface OutgoingMessage {
  /** Order holds inside a group. The integration's id, or `forge-app:<installation id>`. */
  groupId: string;
  deduplicationId: string;
  /** JSON in UTF-8. */
  body: Buffer;
}

export type EnqueueResult = 'queued' | 'duplicate';

export interface ReceiveOptions {
  maxMessages: number;
  waitMs: number;
  signal: AbortSignal;
}

/** The shape an SQS event source hands to a function, so that `processBatches` runs behind either engine. */
export interface QueueRecord {
  messageId: string;
  body: string;
  attributes: {
    MessageGroupId: string;
    MessageDeduplicationId: string;
    /** Milliseconds since the epoch, in digits. */
    SentTimestamp: string;
    ApproximateReceiveCount: string;
  };
}

/** Messages that were taken together. */
export interface Claim {
  readonly records: readonly QueueRecord[];
  /**
   * Removes them: what failed goes to the dead letters with its reason, the groups go on. With `tx` an engine that
   * shares the database settles inside that transaction, so that effects and removal commit together.
   * @throws LeaseLostError when the lease ran out meanwhile: roll back, the messages are no longer yours.
   */
  settle(failures: readonly MessageFailure[], tx?: Tx): Promise<void>;
  /** Puts them back in line, for when nothing could be done with them and none of them is to blame. */
  giveBack(): Promise<void>;
}

export interface MessageFailure {
  messageId: string;
  /** A stable word such as `invalid_json`; `expired` and `abandoned` are the queue's own. */
  reason: string;
  /** What a person needs to repair it; holds nothing of the payload. */
  detail?: string;
}

/** Counts of messages. */
export interface QueueDepth {
  ready: number;
  inFlight: number;
  dead: number;
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
  list(options?: { groupId?: string; limit?: number; after?: string }): Promise<DeadLetter[]>;
  /** Puts letters back at the end of their groups. Returns how many. */
  redrive(filter: DeadLetterFilter): Promise<number>;
  drop(filter: DeadLetterFilter): Promise<number>;
}

/** All letters, those of one group, or the named ones (within the group when both are given). */
export interface DeadLetterFilter {
  groupId?: string;
  messageIds?: readonly string[];
}

export class MessageTooLargeError extends Error {}

export class LeaseLostError extends Error {}
