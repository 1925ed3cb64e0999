import { sentAhead, type Tx } from '#platform/database/database.ts';
import { isDatabaseAway } from '#platform/database/database-error.ts';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import { retry } from '#platform/runtime/tasks/retry.ts';
import { LeaseLostError, type MessageFailure, type QueueRecord } from '#server/queue/queue.ts';
import { lockStreams, type CommittedUpdate } from '#server/realtime/outbox/append-updates.ts';
import { dropRemovedSamples } from '#server/sample-data/drop-removed-samples.ts';
import type { AppWork, AppWorker } from '#server/forge-app/app-work.ts';
import {
  readMessages,
  type ReceivedMessage,
  type ReadMessage,
  type ReadMessagesDeps,
} from './read-messages.ts';
import { storeEvents, type TransactionHook, type StoredCounts, behindSavepoint } from './store-events.ts';

export interface ProcessBatchDeps extends ReadMessagesDeps, Pick<SharedDeps, 'db' | 'log' | 'clock'> {
  /** Called after each attempt of a batch that found the database away. */
  onDatabaseAway(error: unknown, waitMs: number): void;
  /** Time limit in milliseconds for batches that share a transaction, including retries while the database is unavailable. */
  timeoutMs: number;
  /** Sends statements that commit with the stored events. A failing statement fails the transaction. */
  inTransaction?: TransactionHook;
  /** Retention has removed runs of earlier times, in milliseconds. Undefined: it removes none. */
  keptSince?(): number | undefined;
  /** Side effects after the commit. Logs its own failures. */
  afterCommit(updates: readonly CommittedUpdate[]): void;
  count(counts: StoredCounts, failures: readonly MessageFailure[]): void;
}

/** The input of an SQS event source: up to ten records. */
export interface Batch {
  Records: readonly QueueRecord[];
}

/** The failed records of one batch, in the form of an SQS event source. */
export interface BatchResult {
  batchItemFailures: { itemIdentifier: string }[];
}

/** Removes the messages from the queue inside the transaction of their effects. */
export type SettleInTransaction = (failures: readonly MessageFailure[], tx: Tx) => Promise<void>;

/**
 * Processes batches. Returns the failed messages of each. All effects, and with `settle` the removal from the queue, commit
 * in one transaction (docs/decisions/0011-batches-share-a-transaction.md). Rejects only when the database is unavailable
 * beyond the time limit or the lease is lost. The messages are then delivered again.
 */
export async function processBatches(
  deps: ProcessBatchDeps,
  batches: readonly Batch[],
  settle: SettleInTransaction = async () => {},
): Promise<BatchResult[]> {
  const deadline = deps.clock() + deps.timeoutMs;
  const records = batches.flatMap(({ Records }) => Records);
  const read = await untilDatabaseAnswers(deps, deadline, () => readMessages(deps, records));
  const done = await untilDatabaseAnswers(deps, deadline, (leftMs) =>
    storeAndSettle(deps, read, settle, leftMs),
  );
  deps.count(done.counts, done.failures);
  deps.afterCommit(await done.updates);
  const failed = new Set(done.failures.map(({ messageId }) => messageId));
  return batches.map(({ Records }) => ({
    batchItemFailures: Records.filter(({ messageId }) => failed.has(messageId)).map(({ messageId }) => ({
      itemIdentifier: messageId,
    })),
  }));
}

/** Stores all messages together. If that fails, stores each behind a savepoint, and only the failing one becomes a dead letter. */
async function storeAndSettle(
  deps: ProcessBatchDeps,
  read: ReadMessage[],
  settle: SettleInTransaction,
  timeoutMs: number,
) {
  const events = read.filter((message) => message.ok && 'event' in message);
  const works = read.filter((message) => message.ok && 'work' in message);
  const unreadable = read.filter((message) => !message.ok);
  const linked = await deps.appWorker.integrationsOf(works.map(({ work }) => work));
  const integrationIds = [...new Set([...events.map(({ event }) => event.integrationId), ...linked])];
  const inTransaction = deps.inTransaction === undefined ? {} : { inTransaction: deps.inTransaction };
  const store = async (tx: Tx, together: boolean) => {
    const kept = await withoutRemovedSamples(tx, events);
    const stored = await storeEvents(tx, kept, { together, ...inTransaction, keptSince: deps.keptSince?.() });
    const refused = await applyAppWork(tx, deps.appWorker, works, { together, linked });
    return { ...stored, failures: [...unreadable, ...stored.failures, ...refused] };
  };
  const run = async (together: boolean) => {
    let settled: Promise<void> | undefined;
    const work = async (tx: Tx) => {
      const stored = await store(tx, together);
      // The commit follows at once. It fails if the settle does.
      settled = sentAhead(settle(stored.failures, tx));
      return stored;
    };
    try {
      return await deps.db.withScope({ integrationIds }, work, { timeoutMs });
    } catch (error) {
      // The settle's own error says whether the lease is lost.
      await settled;
      throw error;
    }
  };
  try {
    return await run(true);
  } catch (error) {
    if (isDatabaseAway(error) || error instanceof LeaseLostError) throw error;
    deps.log.warn({ err: error }, 'messages could not be stored together; storing them one by one');
    return run(false);
  }
}

async function withoutRemovedSamples(
  tx: Tx,
  events: readonly ReceivedMessage[],
): Promise<readonly ReceivedMessage[]> {
  if (events.every(({ sampleGeneration }) => sampleGeneration === null)) return events;
  await lockStreams(tx, [...new Set(events.map(({ event }) => event.integrationId))]);
  return dropRemovedSamples(tx, events);
}

const databaseBackOff = { firstMs: 100, longestMs: 2000 };

async function untilDatabaseAnswers<T>(
  deps: ProcessBatchDeps,
  deadline: number,
  work: (leftMs: number) => Promise<T>,
): Promise<T> {
  let startedAt = 0;
  const attempt = (): Promise<T> => {
    startedAt = deps.clock();
    // A process that was paused gets another try after the limit, as nobody may have taken its messages.
    return work(Math.max(deps.timeoutMs / 4, deadline - startedAt));
  };
  return retry(attempt, {
    backOff: databaseBackOff,
    onFailure: (error, waitMs) => {
      if (!isDatabaseAway(error) || startedAt + waitMs > deadline) throw error;
      deps.onDatabaseAway(error, waitMs);
    },
  });
}

/**
 * Applies app events and tasks in order, inside the caller's transaction. With `together: false` each runs behind a savepoint
 * and fails on its own.
 */
async function applyAppWork(
  tx: Tx,
  appWorker: AppWorker,
  works: readonly { messageId: string; work: AppWork }[],
  { together, linked }: { together: boolean; linked: readonly string[] },
): Promise<MessageFailure[]> {
  const failures: MessageFailure[] = [];
  for (const { messageId, work } of works) {
    const apply = () => appWorker.apply(tx, work, linked);
    await (together ? apply() : behindSavepoint(tx, messageId, failures, apply));
  }
  return failures;
}
