import { setTimeout as delay } from 'node:timers/promises';
import { canDoNothing, isDatabaseAway } from '#platform/database/database-error.ts';
import type { Log } from '#platform/runtime/log.ts';
import type { Service } from '#platform/runtime/service.ts';
import { maxBatchesPerClaim, batchSize, pollWaitMs } from '#server/queue/policy.ts';
import { LeaseLostError, type Claim, type Queue, type QueueRecord } from '#server/queue/queue.ts';
import { processBatches, type Batch, type ProcessBatchDeps } from './process-batch.ts';

export interface WorkerDeps extends ProcessBatchDeps {
  queue: Queue;
  /** Claims in progress at once. */
  concurrency: number;
  log: Log;
}

const maxMessages = maxBatchesPerClaim * batchSize;
const firstWaitMs = 50;
const maxWaitMs = 5000;

/** Drains the queue: receive, process, settle. Stopping finishes what is in hand. */
export function makeWorker(deps: WorkerDeps): Service {
  const stopping = new AbortController();
  let loops: Promise<void>[] = [];
  return {
    name: 'worker',
    start: async () => {
      loops = Array.from({ length: deps.concurrency }, () => drain(deps, stopping.signal));
    },
    stop: async () => {
      stopping.abort();
      await Promise.all(loops);
    },
  };
}

async function drain(deps: WorkerDeps, signal: AbortSignal): Promise<void> {
  let waitMs = firstWaitMs;
  while (!signal.aborted) {
    try {
      const claim = await deps.queue.receive({ maxMessages, waitMs: pollWaitMs, signal });
      if (claim !== undefined) await processClaim(deps, claim);
      waitMs = firstWaitMs;
    } catch (error) {
      if (signal.aborted) return;
      // No receiving while the database is away: an outage fills the queue, not the dead letters.
      deps.log[isDatabaseAway(error) ? 'warn' : 'error'](
        { err: error, waitMs },
        'the worker could not go on',
      );
      await delay(waitMs, undefined, { signal }).catch(() => {});
      waitMs = Math.min(waitMs * 2, maxWaitMs);
    }
  }
}

async function processClaim(deps: WorkerDeps, claim: Claim): Promise<void> {
  try {
    await processBatches(deps, batchesOf(claim.records), claim.settle);
  } catch (error) {
    // What else ends a batch may be the messages' doing: a lease that runs out finds out which of them.
    if (canDoNothing(error)) await claim.giveBack().catch(() => {});
    if (!(error instanceof LeaseLostError)) throw error;
    deps.log.warn(
      { messages: claim.records.length },
      'messages took longer than their lease; their effects were rolled back',
    );
  }
}

/** As received, in order, ten in each. */
function batchesOf(records: readonly QueueRecord[]): Batch[] {
  return Array.from({ length: Math.ceil(records.length / batchSize) }, (_, index) => ({
    Records: records.slice(index * batchSize, (index + 1) * batchSize),
  }));
}
