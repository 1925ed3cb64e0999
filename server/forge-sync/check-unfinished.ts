import { backOffMs } from '#contract/base/back-off.ts';
import { addLogEntry } from '#server/event-log/add-entry.ts';
import { deleteFinishedChecks, upsertCheck, listUnfinishedRuns, type UnfinishedRun } from './check-store.ts';
import { RateLimited, refusalOf } from '#server/forges/errors.ts';
import type { ForgeTask } from './task-store.ts';
import { eventsOfRun, type RecordFound } from './history/found-events.ts';
import type { Forge, Forges } from '#server/forges/port.ts';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import { hourMs, minuteMs } from '#platform/runtime/time-units.ts';

export interface CheckDeps extends Pick<SharedDeps, 'db' | 'clock'> {
  forges: Forges;
  record: RecordFound;
}

export const intervalMs = 5 * minuteMs;
/** A run sends no events while a job runs; most jobs take less than half an hour. */
const silentMs = 30 * minuteMs;
/** Without jitter: the checks of one installation run one after the other. */
const checkBackOff = { firstMs: silentMs, longestMs: 12 * hourMs };
/** Each run takes two calls, plus one per earlier attempt. */
const checksPerRun = 25;

/**
 * Asks the forge for runs that have been unfinished for too long, or that have such a job: the webhook of their end may be lost.
 */
export async function checkUnfinished(deps: CheckDeps, task: ForgeTask): Promise<number | undefined> {
  const { db, forges } = deps;
  const { integrationId } = task;
  const runs = await db.withScope({ integrationId }, async (tx) => {
    await deleteFinishedChecks(tx, integrationId);
    return listUnfinishedRuns(tx, task, { silentMs, most: checksPerRun });
  });
  if (runs.length === 0) return intervalMs;
  const forge = await forges.ofConnection(integrationId, task.installationId);
  let ended = 0;
  for (const run of runs) {
    if (await checkRun(deps, forge, task, run)) ended += 1;
  }
  if (ended > 0) await logCorrectedRuns(deps, task, ended);
  return runs.length === checksPerRun ? 0 : intervalMs;
}

/**
 * Returns whether the run and all its jobs completed. Leaves a run unchanged that the forge does not know or refuses to show. Throws
 * on other failures, after scheduling the run behind the others.
 */
async function checkRun(
  deps: CheckDeps,
  forge: Forge,
  task: ForgeTask,
  checked: UnfinishedRun,
): Promise<boolean> {
  const { db } = deps;
  const { run_id: runId, repository, times } = checked;
  const schedule = (ms: number | undefined) =>
    db.withScope({ integrationId: task.integrationId }, (tx) =>
      upsertCheck(tx, task.integrationId, runId, ms),
    );
  const waitMs = backOffMs(checkBackOff, times, () => 1);
  try {
    const run = await forge.readRun(repository, Number(runId));
    if (run === undefined) return (await schedule(undefined), false);
    const hasEnded = await recordRun(deps, forge, task, checked, run);
    await schedule(waitMs);
    return hasEnded;
  } catch (error) {
    if (error instanceof RateLimited) throw error;
    const isRefused = refusalOf(error) !== undefined;
    await schedule(isRefused ? checkBackOff.longestMs : waitMs);
    if (!isRefused) throw error;
    return false;
  }
}

async function recordRun(
  { clock, record }: CheckDeps,
  forge: Forge,
  { integrationId }: ForgeTask,
  { repository, default_branch: defaultBranch }: UnfinishedRun,
  run: unknown,
): Promise<boolean> {
  const place = { integrationId, repository, defaultBranch };
  const events = await eventsOfRun(forge, place, run, clock());
  await record(integrationId, events, { isNews: true });
  return events.every((event) => {
    if (event.type === 'workflow_run') return event.row.status === 'completed';
    return event.type !== 'workflow_job' || event.row.status === 'completed';
  });
}

async function logCorrectedRuns(
  { db }: CheckDeps,
  { integrationId, account }: ForgeTask,
  ended: number,
): Promise<void> {
  await db.withScope({ integrationId }, (tx) =>
    addLogEntry(tx, {
      integrationId,
      type: 'forge_app.runs_corrected',
      title:
        ended === 1
          ? '1 run without a completion webhook was updated from the forge'
          : `${ended} runs without a completion webhook were updated from the forge`,
      details: { account, count: ended },
    }),
  );
}
