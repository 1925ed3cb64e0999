import { enqueueRed } from '#server/alerts/red-now/enqueue-red.ts';
import { addLogEntry } from '#server/event-log/add-entry.ts';
import { refusalOf, statusOf } from '#server/forges/errors.ts';
import type { ForgeTask } from '../task-store.ts';
import { eventsOfPullRequest, eventsOfRun, type Place, type RecordFound } from './found-events.ts';
import {
  startHistory,
  finishHistory,
  saveHistoryPage,
  findNextPage,
  markHistoryRefused,
  type HistoryRow,
} from './history-store.ts';
import type { Forge, Forges } from '#server/forges/port.ts';
import { upsertRepositories } from '../store.ts';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import { dayMs } from '#platform/runtime/time-units.ts';

export interface HistoryDeps extends Pick<SharedDeps, 'db' | 'clock'> {
  forges: Forges;
  record: RecordFound;
  /** Older runs are not read: they would be deleted at once. Undefined means no limit. */
  runRetentionDays: number | undefined;
}

/**
 * Reads one page of runs with their jobs, and before the first page the pull requests, of one repository. Repeated runs read all
 * repositories back to the requested day. Progress is stored per page, so a stop or a rate limit loses little.
 */
export async function readHistory(deps: HistoryDeps, task: ForgeTask): Promise<number | undefined> {
  const { db } = deps;
  const { integrationId } = task;
  const forge = await deps.forges.ofConnection(integrationId, task.installationId);
  if (task.startedAt === null) {
    // For an access token, people choose the repositories.
    const found = task.installationId === null ? undefined : await forge.listRepositories();
    await db.withScope({ integrationId }, async (tx) => {
      if (found !== undefined) await upsertRepositories(tx, task, found);
      await startHistory(tx, task);
    });
    return 0;
  }
  const next = await db.withScope({ integrationId }, (tx) => findNextPage(tx, task));
  if (next === undefined) {
    await finish(deps, task);
    return undefined;
  }
  try {
    await readPage(deps, forge, task, next);
  } catch (error) {
    const text = explainSkipped(error, next.repository, task.failures);
    if (text === undefined) throw error;
    await db.withScope({ integrationId }, (tx) => markHistoryRefused(tx, task, next.repository, text));
  }
  return 0;
}

/** About three hours of retries: most outages of a forge are shorter. */
const maxFailures = 8;

/** Why the rest of a repository is skipped; undefined when a retry may help. */
function explainSkipped(error: unknown, repository: string, failures: number): string | undefined {
  const refusal = refusalOf(error);
  if (refusal !== undefined)
    return `The forge refused access to ${repository} (${refusal}). Check that the forge connection is allowed to read Actions and pull requests.`;
  const status = statusOf(error) ?? 0;
  return status >= 500 && failures >= maxFailures
    ? `The forge failed to return ${repository} (${status}). Request the history again later.`
    : undefined;
}

async function readPage(
  deps: HistoryDeps,
  forge: Forge,
  task: ForgeTask,
  { repository, default_branch, page }: HistoryRow,
): Promise<void> {
  const { db, clock, record } = deps;
  const { integrationId } = task;
  const place = { integrationId, repository, defaultBranch: default_branch };
  const keptSince = deps.runRetentionDays === undefined ? 0 : clock() - deps.runRetentionDays * dayMs;
  const since = Math.max(task.since?.getTime() ?? 0, keptSince);
  if (page === 1) await readPullRequests(deps, forge, place, since);
  const { runs, isLast } = await forge.listRuns(repository, page);
  const wanted = runs.filter(({ created_at: createdAt }) => Date.parse(createdAt) >= since);
  for (const run of wanted) {
    await record(integrationId, await eventsOfRun(forge, place, run, clock()), { isNews: false });
  }
  const nextPage = isLast || wanted.length < runs.length ? null : page + 1;
  await db.withScope({ integrationId }, (tx) =>
    saveHistoryPage(tx, task, repository, { nextPage, runs: wanted.length }),
  );
}

/** Of pull requests. A forge whose list has no end must not keep one of the few tasks. */
const maxPages = 200;

/** Reads the pull requests of a repository in one run, a hundred per call. A failed run starts over. */
async function readPullRequests(
  { clock, record }: HistoryDeps,
  forge: Forge,
  place: Place,
  since: number,
): Promise<void> {
  const { integrationId, repository } = place;
  for (let page = 1; page <= maxPages; page += 1) {
    const { pullRequests, isLast } = await forge.listPullRequests(repository, page);
    const wanted = pullRequests.filter(({ updated_at: updatedAt }) => Date.parse(updatedAt) >= since);
    const events = wanted.flatMap((each) => eventsOfPullRequest(place, each, clock()));
    if (events.length > 0) await record(integrationId, events, { isNews: false });
    if (isLast || wanted.length < pullRequests.length) return;
  }
}

async function finish({ db }: HistoryDeps, task: ForgeTask): Promise<void> {
  const { integrationId, installationId, account } = task;
  await db.withScope({ integrationId }, async (tx) => {
    const read = await finishHistory(tx, task);
    if (read === undefined) return;
    await enqueueRed(tx, integrationId);
    await addLogEntry(tx, {
      integrationId,
      type: 'forge_app.history_read',
      title: `The history of ${account} was read: runs ${read.runs}, repositories ${read.repositories}`,
      details: { installationId, account, ...read },
    });
  });
}
