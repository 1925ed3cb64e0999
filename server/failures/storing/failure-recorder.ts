import { isFailed } from '#contract/runs/conclusions.ts';
import { sentAhead, type Tx } from '#platform/database/database.ts';
import { isDatabaseAway } from '#platform/database/database-error.ts';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import { minuteMs } from '#platform/runtime/time-units.ts';
import { addLogEntry } from '#server/event-log/add-entry.ts';
import { requestReading } from '#server/forge-tasks/request-tasks.ts';
import { durationMs } from '#server/runs/objects/durations.ts';
import type { JobRow } from '#server/runs/objects/job.ts';
import { lockStreams, type CommittedUpdate } from '#server/realtime/outbox/append-updates.ts';
import { listWaitingConnections } from '../reading/reading-store.ts';
import { unreadableEntry } from '../reading/unreadable-entry.ts';
import {
  failureWaits,
  insertPending,
  readPendingWork,
  reasonTask,
  takePending,
  type NotedJob,
} from './pending-store.ts';
import { storeReasons } from './store-reasons.ts';
import type { Task, TaskKind, Turn, TurnEnd } from '#server/tasks/task.ts';

export interface FailureRecorderDeps extends Pick<SharedDeps, 'db' | 'log' | 'sealer'> {
  /** Pushes updates of runs and jobs after the commit. */
  publish(updates: readonly CommittedUpdate[]): void;
}

type CompletedJob = Omit<NotedJob, 'isCancelled'> & Pick<JobRow, 'conclusion' | 'startedAt' | 'completedAt'>;

/** After which time failures are looked at again that wait for their runs or logs: `most` if no log is due before. */
const lookAgainMs = { least: 2_000, most: minuteMs };
/** A reason takes one statement, and the transaction keeps the integration's other writers waiting. */
const reasonsAtOnce = 50;

/** Notes failed jobs, and those that may have run out of time, in the transaction that stores them. The query is not awaited. */
export function noteFailures(tx: Tx, jobs: readonly CompletedJob[]): void {
  const noted = jobs
    .filter((job) => isFailed(job.conclusion) || mayBeOutOfTime(job))
    .map((job) => ({ ...job, isCancelled: !isFailed(job.conclusion) }));
  if (noted.length > 0) void sentAhead(insertPending(tx, noted));
}

/**
 * Stores the reasons of failed jobs in transactions of their own, so that a failure here never affects storing events. If a
 * process dies, another one stores what it noted.
 */
export function failureTasks(deps: FailureRecorderDeps): TaskKind {
  return {
    name: reasonTask,
    // They use the database alone. There are few, so that batches find free connections.
    quickPlaces: 2,
    slowPlaces: 2,
    perIntegration: 1,
    longestMs: minuteMs,
    givesWay: false,
    handle: (task, turn) => recordAll(deps, task, turn),
    planRetry: () => ({
      waitMs: lookAgainMs.least,
      error: 'The reasons of failed jobs could not be stored. It is tried again.',
    }),
  };
}

/** The shortest limit of a job is one minute. Times are whole seconds of two clocks. */
const shortestLimitMs = 50_000;

/** GitHub reports a job that exceeds `timeout-minutes` as cancelled. Only an annotation tells the difference. */
function mayBeOutOfTime({ conclusion, ...job }: CompletedJob): boolean {
  return conclusion === 'cancelled' && (durationMs(job) ?? 0) >= shortestLimitMs;
}

async function recordAll(deps: FailureRecorderDeps, { integrationId }: Task, turn: Turn): Promise<TurnEnd> {
  const { db } = deps;
  const { hasReady, hasDue, dueInMs } = await db.withScope({ integrationId }, (tx) =>
    readPendingWork(tx, integrationId, failureWaits),
  );
  if (hasReady === null) return 'done';
  if (hasDue)
    await db.withScope({ integrationId }, async (tx) =>
      requestReading(tx, integrationId, 'forge-logs', await listWaitingConnections(tx, integrationId)),
    );
  if (hasReady && !(await recordReady(deps, integrationId, turn))) return { again: 0 };
  return { again: Math.min(lookAgainMs.most, Math.max(lookAgainMs.least, dueInMs ?? 0)) };
}

/** False when the turn should end before all is done. */
async function recordReady(deps: FailureRecorderDeps, integrationId: string, turn: Turn): Promise<boolean> {
  let size = reasonsAtOnce;
  for (;;) {
    try {
      if ((await record(deps, integrationId, size)) === 0) return true;
    } catch (error) {
      if (isDatabaseAway(error)) throw error;
      if (size === 1) await drop(deps, integrationId, error);
      size = 1;
    }
    if (turn.isLong()) return false;
  }
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
