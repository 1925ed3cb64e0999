import type { Database } from '#platform/database/database.ts';
import type { Clock } from '#platform/runtime/clock.ts';
import { addLogEntry } from '#server/event-log/add-entry.ts';
import { deleteFinishedChecks, upsertCheck, listUnfinishedRuns, type UnfinishedRun } from './check-store.ts';
import { RateLimited, refusalOf } from '#server/forge-app/forge-client.ts';
import type { RenewLease } from './task.ts';
import type { ForgeTask } from './task-store.ts';
import { eventsOfRun, type RecordFound } from './found-events.ts';
import type { RepositoryApi } from './repository-api.ts';
import { minuteMs } from '#platform/runtime/time-units.ts';

export interface CheckDeps {
  db: Database;
  api: RepositoryApi;
  clock: Clock;
  record: RecordFound;
}

const intervalMs = 5 * minuteMs;
/** Runs are silent while a job works; half an hour is longer than most jobs take. */
const silentMs = 30 * minuteMs;
const maxWaitMs = 12 * 60 * minuteMs;
/** Two calls a run, and one more for each earlier attempt. */
const checksPerRun = 25;

/**
 * Asks the forge for runs that have been unfinished too long, or in which a job has: the webhook that ended it may never
 * have come.
 */
export async function checkUnfinished(
  deps: CheckDeps,
  task: ForgeTask,
  renewLease: RenewLease,
): Promise<number | undefined> {
  const { db } = deps;
  const { integrationId } = task;
  if (task.isSuspended || task.isGone) return intervalMs;
  const runs = await db.withScope({ integrationId }, async (tx) => {
    await deleteFinishedChecks(tx, integrationId);
    return listUnfinishedRuns(tx, task, { silentMs, most: checksPerRun });
  });
  let ended = 0;
  for (const run of runs) {
    await renewLease();
    if (await checkRun(deps, task, run)) ended += 1;
  }
  if (ended > 0) await tell(deps, task, ended);
  return runs.length === checksPerRun ? 0 : intervalMs;
}

/**
 * Whether it has ended, with all its jobs. One that the forge does not know any more, or refuses to tell of, stays as it is;
 * one that it fails to tell of ends the turn, and comes after the others in the next.
 */
async function checkRun(deps: CheckDeps, task: ForgeTask, checked: UnfinishedRun): Promise<boolean> {
  const { db, api } = deps;
  const { run_id: runId, repository, times } = checked;
  const keep = (ms: number | undefined) =>
    db.withScope({ integrationId: task.integrationId }, (tx) =>
      upsertCheck(tx, task.integrationId, runId, ms),
    );
  const waitMs = Math.min(maxWaitMs, silentMs * 2 ** Math.min(times, 10));
  try {
    const run = await api.readRun(task.installationId, repository, Number(runId));
    if (run === undefined) return (await keep(undefined), false);
    const hasEnded = await recordRun(deps, task, checked, run);
    await keep(waitMs);
    return hasEnded;
  } catch (error) {
    if (error instanceof RateLimited) throw error;
    const isRefused = refusalOf(error) !== undefined;
    await keep(isRefused ? maxWaitMs : waitMs);
    if (!isRefused) throw error;
    return false;
  }
}

async function recordRun(
  { api, clock, record }: CheckDeps,
  { integrationId, installationId }: ForgeTask,
  { repository, default_branch: defaultBranch }: UnfinishedRun,
  run: unknown,
): Promise<boolean> {
  const place = { integrationId, installationId, repository, defaultBranch };
  const events = await eventsOfRun(api, place, run, clock());
  await record(integrationId, events, { isNews: true });
  return events.every((event) => {
    if (event.type === 'workflow_run') return event.run.status === 'completed';
    return event.type !== 'workflow_job' || event.job.status === 'completed';
  });
}

async function tell({ db }: CheckDeps, { integrationId, account }: ForgeTask, ended: number): Promise<void> {
  await db.withScope({ integrationId }, (tx) =>
    addLogEntry(tx, {
      integrationId,
      type: 'forge_app.runs_corrected',
      severity: 'info',
      title:
        ended === 1
          ? '1 run, or a job of it, had ended without a webhook; the forge was asked for it'
          : `${ended} runs, or jobs of theirs, had ended without a webhook; the forge was asked for them`,
      actorId: null,
      details: { account, count: ended },
    }),
  );
}
