import { branchOf } from '#contract/runs/merge-group.ts';
import { sentAhead, type Tx } from '#platform/database/database.ts';
import type { Service } from '#platform/runtime/service.ts';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import { repeat } from '#platform/runtime/tasks/repeat.ts';
import { untilDone } from '#platform/runtime/tasks/until-done.ts';
import { recordFailedRuns, retractFailedRuns } from '#server/event-log/record-failed-runs.ts';
import type { MonitoringEvent } from '#server/events/parsing/parse-event.ts';
import type { JobRow } from '#server/runs/objects/job.ts';
import { readShownNames } from '#server/runs/names/shown-names.ts';
import type { RunRow } from '#server/runs/objects/run.ts';
import { settledJob, settledRun } from '#server/runs/staleness.ts';
import {
  deletePendingConclusions,
  findAttempt,
  findJob,
  insertOfJobs,
  insertOfNewer,
  insertOfRuns,
  listAttemptsToSettle,
  listIntegrationsToSettle,
  type AttemptId,
} from './conclusion-store.ts';
import { settledConclusion, type SettledConclusion } from './settled-conclusion.ts';

export interface ConclusionSettlerDeps extends Pick<SharedDeps, 'db' | 'log'> {
  /** Stores events as if the forge had sent them. */
  record: (
    integrationId: string,
    events: readonly MonitoringEvent[],
    options: { isNews: boolean },
  ) => Promise<void>;
}

type Completed = Pick<RunRow | JobRow, 'integrationId' | 'runId' | 'attempt' | 'conclusion' | 'status'>;
type StoredRun = Completed & Pick<RunRow, 'createdAt'>;

/** The events of the jobs and of the run that takes over arrive within this time of the completion. */
const settleMs = 2_000;
const sweepEveryMs = 1_000;
const attemptsAtOnce = 100;

/**
 * Notes attempts whose conclusion may say less than their jobs, or than a newer run, in the transaction that stores them. Nothing is
 * awaited.
 */
export function noteConclusions(
  tx: Tx,
  { runs, jobs }: { runs: readonly StoredRun[]; jobs: readonly Completed[] },
  now = Date.now(),
): void {
  // What ended because of a run that is reported at once still waits.
  const late = runs.filter(({ createdAt }) => createdAt < now - settleMs);
  if (late.length > 0) void sentAhead(insertOfNewer(tx, late));
  const unsettled = runs.filter(({ conclusion }) => conclusion === 'failure' || conclusion === 'cancelled');
  if (unsettled.length > 0) void sentAhead(insertOfRuns(tx, unsettled));
  const telling = jobs.filter(({ conclusion }) => conclusion === 'cancelled' || conclusion === 'timed_out');
  if (telling.length > 0) void sentAhead(insertOfJobs(tx, telling));
}

/** Corrects conclusions of runs in the background. If a process dies, another one goes on. */
export function makeConclusionSettler(deps: ConclusionSettlerDeps): Service {
  const { db, log } = deps;
  return repeat(log, 'conclusions', sweepEveryMs, async (signal) => {
    if (!(await db.hasRow('select from pending_conclusions'))) return;
    const due = await db.withScope('service', (tx) => listIntegrationsToSettle(tx, settleMs));
    for (const integrationId of due) {
      if (signal.aborted) return;
      await untilDone(signal, () => settleSome(deps, integrationId)).catch((error: unknown) =>
        log.warn({ err: error, integrationId }, 'conclusions not settled, will retry'),
      );
    }
  });
}

/** Returns how many attempts it took. */
async function settleSome({ db, record }: ConclusionSettlerDeps, integrationId: string): Promise<number> {
  const { found, events, failed, superseded } = await db.withScope({ integrationId }, async (tx) => {
    const attempts = await listAttemptsToSettle(tx, integrationId, { settleMs, most: attemptsAtOnce });
    const settled: MonitoringEvent[] = [];
    const remaining: RunRow[] = [];
    const replaced: AttemptId[] = [];
    for (const each of attempts) {
      const row = await findAttempt(tx, integrationId, each);
      const conclusion = settledConclusion(each);
      if (row !== undefined && conclusion !== undefined) settled.push(settledAttempt(row, conclusion));
      if (conclusion !== undefined && conclusion.supersededBy !== null) replaced.push(each);
      if (conclusion === undefined && row?.conclusion === 'failure') remaining.push(row);
    }
    return { found: attempts, events: settled, failed: remaining, superseded: replaced };
  });
  if (events.length > 0) await record(integrationId, events, { isNews: true });
  await db.withScope({ integrationId }, async (tx) => {
    const names = await readShownNames(tx, [integrationId]);
    const runs = failed.map((run) => ({
      ...run,
      branch: branchOf(run.headBranch, run.headRepository, run.repository),
    }));
    recordFailedRuns(tx, names.show(integrationId, runs), { isSettled: true });
    await retractFailedRuns(tx, integrationId, superseded);
    await deletePendingConclusions(tx, integrationId, found);
  });
  return found.length;
}

/** Stores that a cancelled job exceeded its time limit. Returns false when the job is not cancelled, or deleted. */
export async function recordTimeout(
  { db, record }: ConclusionSettlerDeps,
  integrationId: string,
  job: AttemptId & { jobId: number },
): Promise<boolean> {
  const found = await db.withScope({ integrationId }, (tx) => findJob(tx, integrationId, job));
  if (found?.conclusion !== 'cancelled') return false;
  await record(integrationId, [timedOutJob(found)], { isNews: true });
  return true;
}

/** An event that stores what was found out, so that all that follows completions follows it too. */
function timedOutJob(job: JobRow): MonitoringEvent {
  const { integrationId, version } = job;
  const row: JobRow = { ...job, conclusion: 'timed_out', version: settledJob(version) };
  return { type: 'workflow_job', integrationId, row };
}

/** The same for an attempt of a run. */
function settledAttempt(attempt: RunRow, settled: SettledConclusion): MonitoringEvent {
  const { integrationId, version } = attempt;
  const as = settled.conclusion === 'timed_out' ? 'timed_out' : 'superseded';
  const row: RunRow = { ...attempt, ...settled, version: settledRun(version, as), errorLine: null };
  return { type: 'workflow_run', integrationId, row };
}
