import { isFailed } from '#contract/runs/conclusions.ts';
import { sentAhead, type Tx } from '#platform/database/database.ts';
import { isDatabaseAway } from '#platform/database/database-error.ts';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import { coalesce } from '#platform/runtime/tasks/coalesce.ts';
import { repeat } from '#platform/runtime/tasks/repeat.ts';
import type { Service } from '#platform/runtime/service.ts';
import { untilDone } from '#platform/runtime/tasks/until-done.ts';
import { addLogEntry } from '#server/event-log/add-entry.ts';
import { requestFailureLogs } from '#server/forge-tasks/request-tasks.ts';
import { durationMs } from '#server/runs/objects/durations.ts';
import type { JobRow } from '#server/runs/objects/job.ts';
import { lockStreams, type CommittedUpdate } from '#server/realtime/outbox/append-updates.ts';
import { listWaitingConnections } from '../reading/reading-store.ts';
import { unreadableEntry } from '../reading/unreadable-entry.ts';
import {
  failureWaits,
  insertPending,
  listPendingWork,
  takePending,
  type NotedJob,
  type PendingWork,
} from './pending-store.ts';
import { storeReasons } from './store-reasons.ts';

export interface FailureRecorderDeps extends Pick<SharedDeps, 'db' | 'log' | 'sealer'> {
  /** Pushes updates of runs and jobs after the commit. */
  publish(updates: readonly CommittedUpdate[]): void;
}

type CompletedJob = Omit<NotedJob, 'isCancelled'> & Pick<JobRow, 'conclusion' | 'startedAt' | 'completedAt'>;

export interface FailureRecorder extends Service {
  /** Notes failed jobs, and those that may have run out of time, in the transaction that stores them. The query is not awaited. */
  enqueue(tx: Tx, jobs: readonly CompletedJob[]): void;
  /** Call it after the commit. Never throws. */
  wake(stored: readonly { conclusion: string | null }[]): void;
}

/** A batch wakes the recorder. This sweep finds what a process left that died. */
const sweepEveryMs = 2_000;
/** A matrix that fails as a whole is stored in few transactions. */
const wakeEveryMs = 500;
/** A reason takes one statement, and the transaction keeps the integration's other writers waiting. */
const reasonsAtOnce = 50;

/**
 * Stores the reasons of failed jobs in transactions of their own, so that a failure here never affects storing events. If a
 * process dies, another one stores what it noted.
 */
export function makeFailureRecorder(deps: FailureRecorderDeps): FailureRecorder {
  const { db, log } = deps;
  const sweep = async (signal?: AbortSignal): Promise<void> => {
    if (!(await db.hasRow('select from pending_failures'))) return;
    const all = await db.withScope('service', (tx) => listPendingWork(tx, failureWaits));
    for (const work of all) {
      if (signal?.aborted === true) return;
      await recordAll(deps, work, signal ?? new AbortController().signal).catch((error: unknown) =>
        log.warn({ err: error, integrationId: work.integrationId }, 'failure reasons not stored, will retry'),
      );
    }
  };
  const sweeper = repeat(log, 'failure reasons', sweepEveryMs, sweep);
  const waking = coalesce(wakeEveryMs, () =>
    sweep().catch((error: unknown) => log.warn({ err: error }, 'failure reasons not stored, will retry')),
  );

  return {
    name: 'failure recorder',
    enqueue: (tx, jobs) => {
      const noted = jobs
        .filter((job) => isFailed(job.conclusion) || mayBeOutOfTime(job))
        .map((job) => ({ ...job, isCancelled: !isFailed(job.conclusion) }));
      if (noted.length > 0) void sentAhead(insertPending(tx, noted));
    },
    wake: (stored) => {
      if (stored.some(({ conclusion }) => isFailed(conclusion) || conclusion === 'cancelled'))
        waking.request();
    },
    start: () => sweeper.start(),
    stop: async () => {
      await sweeper.stop();
      await waking.idle();
    },
  };
}

/** The shortest limit of a job is one minute. Times are whole seconds of two clocks. */
const shortestLimitMs = 50_000;

/** GitHub reports a job that exceeds `timeout-minutes` as cancelled. Only an annotation tells the difference. */
function mayBeOutOfTime({ conclusion, ...job }: CompletedJob): boolean {
  return conclusion === 'cancelled' && (durationMs(job) ?? 0) >= shortestLimitMs;
}

async function recordAll(
  deps: FailureRecorderDeps,
  { integrationId, hasReady, hasDue }: PendingWork,
  signal: AbortSignal,
): Promise<void> {
  const { db } = deps;
  if (hasDue)
    await db.withScope({ integrationId }, async (tx) =>
      requestFailureLogs(tx, integrationId, await listWaitingConnections(tx, integrationId)),
    );
  if (!hasReady) return;
  let size = reasonsAtOnce;
  await untilDone(signal, async () => {
    try {
      return await record(deps, integrationId, size);
    } catch (error) {
      if (isDatabaseAway(error)) throw error;
      if (size === 1) return drop(deps, integrationId, error);
      size = 1;
      return 1;
    }
  });
}

async function record(
  { db, sealer, publish }: FailureRecorderDeps,
  integrationId: string,
  most: number,
): Promise<number> {
  const { count, updates } = await db.withScope({ integrationId }, async (tx) => {
    await lockStreams(tx, [integrationId]);
    const pending = await takePending(tx, integrationId, most, failureWaits);
    const failures = pending
      .filter(({ isCancelled }) => !isCancelled)
      .map(({ waitsForLog, ...failure }) => ({
        ...failure,
        log: waitsForLog ? ('unreadable' as const) : ('no_connection' as const),
      }));
    const unread = failures.filter(({ log: state }) => state === 'unreadable').length;
    if (unread > 0) await addLogEntry(tx, unreadableEntry(integrationId, unread));
    return {
      count: pending.length,
      updates: await storeReasons(tx, sealer, integrationId, failures),
    };
  });
  publish(updates);
  return count;
}

/** A failure that cannot be stored must not block those behind it. */
async function drop(
  { db, log }: FailureRecorderDeps,
  integrationId: string,
  error: unknown,
): Promise<number> {
  log.warn({ err: error, integrationId }, 'failure reason dropped');
  const dropped = await db.withScope({ integrationId }, (tx) =>
    takePending(tx, integrationId, 1, failureWaits),
  );
  return dropped.length;
}
