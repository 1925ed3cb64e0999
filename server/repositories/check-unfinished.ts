import type { Database } from '#platform/database/database.ts';
import type { Clock } from '#platform/runtime/clock.ts';
import { addLogEntry } from '#server/event-log/add-entry.ts';
import { forgetChecks, keepCheck, listUnfinishedRuns, type UnfinishedRun } from './check-store.ts';
import type { Duty } from './duty-store.ts';
import { eventsOfRun, type RecordFound } from './found-events.ts';
import type { RepositoryApi } from './repository-api.ts';

export interface CheckDeps {
  db: Database;
  api: RepositoryApi;
  clock: Clock;
  record: RecordFound;
}

const minuteMs = 60_000;
const everyMs = 5 * minuteMs;
/** Runs are silent while a job works; half an hour is longer than most jobs take. */
const silentMs = 30 * minuteMs;
const longestWaitMs = 12 * 60 * minuteMs;
/** Two calls a run, some ten seconds in all. */
const runsInTurn = 25;

/** Asks the forge for runs that have been unfinished too long: the webhook that ended them may never have come. */
export async function checkUnfinished(deps: CheckDeps, duty: Duty): Promise<number | undefined> {
  const { db } = deps;
  const { integrationId } = duty;
  if (duty.isAway) return everyMs;
  const runs = await db.withScope({ integrationId }, async (tx) => {
    await forgetChecks(tx, integrationId);
    return listUnfinishedRuns(tx, duty, { silentMs, most: runsInTurn });
  });
  let ended = 0;
  for (const run of runs) if (await checkRun(deps, duty, run)) ended += 1;
  if (ended > 0) await tell(deps, duty, ended);
  return runs.length === runsInTurn ? 0 : everyMs;
}

/** Whether it has ended. One that the forge does not know any more stays as it is. */
async function checkRun(deps: CheckDeps, duty: Duty, checked: UnfinishedRun): Promise<boolean> {
  const { db, api, clock, record } = deps;
  const { integrationId, installationId } = duty;
  const { run_id: runId, repository, times } = checked;
  const run = await api.readRun(installationId, repository, Number(runId));
  if (run !== undefined) {
    const place = { integrationId, installationId, repository, defaultBranch: checked.default_branch };
    await record(integrationId, await eventsOfRun(api, place, run, clock()), { isNews: true });
  }
  const waitMs = run === undefined ? undefined : Math.min(longestWaitMs, silentMs * 2 ** Math.min(times, 10));
  await db.withScope({ integrationId }, (tx) => keepCheck(tx, integrationId, runId, waitMs));
  return (run as { status?: unknown } | undefined)?.status === 'completed';
}

async function tell({ db }: CheckDeps, { integrationId, account }: Duty, ended: number): Promise<void> {
  await db.withScope({ integrationId }, (tx) =>
    addLogEntry(tx, {
      integrationId,
      type: 'forge_app.runs_corrected',
      severity: 'info',
      title:
        ended === 1
          ? '1 run had ended without a webhook; the forge was asked for it'
          : `${ended} runs had ended without a webhook; the forge was asked for them`,
      actorId: null,
      details: { account, count: ended },
    }),
  );
}
