import { setTimeout as delay } from 'node:timers/promises';
import { isDatabaseAway } from '#platform/database/database-error.ts';
import type { Log } from '#platform/runtime/log.ts';
import type { Service } from '#platform/runtime/service.ts';
import { batchesAtOnce, batchSize, pollWaitMs } from '#server/queue/policy.ts';
import { LeaseLostError, type Queue, type ReceivedBatch } from '#server/queue/queue.ts';
import { processBatch, type ProcessBatchDeps } from './process-batch.ts';

export interface WorkerDeps extends ProcessBatchDeps {
  queue: Queue;
  /** Batches in progress at once. */
  concurrency: number;
  log: Log;
}

const maxMessages = batchesAtOnce * batchSize;
const firstWaitMs = 50;
const longestWaitMs = 5000;

/** Drains the queue: receive, process, settle. Stopping finishes the batches in hand. */
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
      const batch = await deps.queue.receive({ maxMessages, waitMs: pollWaitMs, signal });
      if (batch !== undefined) await processReceived(deps, batch);
      waitMs = firstWaitMs;
    } catch (error) {
      if (signal.aborted) return;
      // No receiving while the database is away: an outage fills the queue, not the dead letters.
      deps.log[isDatabaseAway(error) ? 'warn' : 'error'](
        { err: error, waitMs },
        'the worker could not go on with a batch',
      );
      await delay(waitMs, undefined, { signal }).catch(() => {});
      waitMs = Math.min(waitMs * 2, longestWaitMs);
    }
  }
}

async function processReceived(deps: WorkerDeps, batch: ReceivedBatch): Promise<void> {
  try {
    await processBatch(deps, { Records: batch.records }, (failures, tx) => batch.settle(failures, tx));
  } catch (error) {
    if (!(error instanceof LeaseLostError)) throw error;
    deps.log.warn(
      { messages: batch.records.length },
      'a batch took longer than its lease; its effects were rolled back',
    );
  }
}
