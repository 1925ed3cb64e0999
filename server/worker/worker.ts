import { canDoNothing, isDatabaseAway } from '#platform/database/database-error.ts';
import type { Log } from '#platform/runtime/log.ts';
import { makeFailureLog, type FailureLog } from '#platform/runtime/tasks/failure-log.ts';
import { retry } from '#platform/runtime/tasks/retry.ts';
import type { Service } from '#platform/runtime/service.ts';
import { maxBatchesPerClaim, batchSize, pollWaitMs } from '#server/queue/policy.ts';
import { LeaseLostError, type Claim, type Queue, type QueueRecord } from '#server/queue/queue.ts';
import { processBatches, type Batch, type ProcessBatchDeps } from './process-batch.ts';

export interface WorkerDeps extends Omit<ProcessBatchDeps, 'onDatabaseAway'> {
  queue: Queue;
  /** Claims in progress at once. */
  concurrency: number;
  log: Log;
}

const maxMessages = maxBatchesPerClaim * batchSize;
const failureBackOff = { firstMs: 100, longestMs: 5000 };

/** Receives, processes and settles messages. A stop finishes the claims in progress. */
export function makeWorker({ queue, concurrency, ...given }: WorkerDeps): Service {
  const stopping = new AbortController();
  const failures = makeFailureLog(given.log, { message: 'the worker could not go on' });
  const deps = {
    ...given,
    queue,
    failures,
    onDatabaseAway: (error: unknown, waitMs: number) => failures.failed(error, { waitMs }),
  };
  let loops: Promise<void>[] = [];
  return {
    name: 'worker',
    start: async () => {
      loops = Array.from({ length: concurrency }, () => drain(deps, stopping.signal));
    },
    stop: async () => {
      stopping.abort();
      await Promise.all(loops);
    },
  };
}

interface LoopDeps extends ProcessBatchDeps, Pick<WorkerDeps, 'queue'> {
  failures: FailureLog;
}

async function drain(deps: LoopDeps, signal: AbortSignal): Promise<void> {
  let waitsFirst = false;
  const receiveSome = async (): Promise<void> => {
    const options = { maxMessages, waitMs: pollWaitMs, signal, waitsFirst };
    waitsFirst = false;
    const claim = await deps.queue.receive(options);
    if (claim === undefined) return deps.failures.succeeded();
    await processClaim(deps, claim);
    deps.failures.succeeded();
    waitsFirst = claim.isLast;
  };
  while (!signal.aborted)
    // Receives nothing while the database is unavailable: an outage must fill the queue, not the dead letters.
    await retry(receiveSome, {
      backOff: failureBackOff,
      signal,
      onFailure: (error, waitMs) =>
        deps.failures.failed(error, { waitMs }, isDatabaseAway(error) ? 'warn' : 'error'),
    }).catch(() => {});
}

async function processClaim(deps: ProcessBatchDeps, claim: Claim): Promise<void> {
  try {
    await processBatches(deps, batchesOf(claim.records), claim.settle);
  } catch (error) {
    // The messages may cause any other error. Let the lease expire: redelivery then finds the failing message.
    if (canDoNothing(error)) await claim.giveBack().catch(() => {});
    if (!(error instanceof LeaseLostError)) throw error;
    deps.log.warn(
      { messages: claim.records.length },
      'lease expired during processing; effects were rolled back',
    );
  }
}

/** Splits the records into batches of ten, in order. */
function batchesOf(records: readonly QueueRecord[]): Batch[] {
  return Array.from({ length: Math.ceil(records.length / batchSize) }, (_, index) => ({
    Records: records.slice(index * batchSize, (index + 1) * batchSize),
  }));
}
