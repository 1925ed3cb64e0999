import type { RepositoryFact, RunFact } from '../world/facts.ts';
import type { JobRow, Received, Rows, RunRow } from './rows.ts';

export const red = ['failure', 'timed_out', 'startup_failure', 'action_required'];
const decided = ['success', ...red];

const day = 24 * 3_600_000;
const staleAfterDays = 30;

/** Names a workflow by what the forge never changes. */
export const workflowKey = ({ repository, workflow }: Pick<RunFact, 'repository' | 'workflow'>): string =>
  `${repository.host} ${repository.id} ${workflow.id}`;

/** What is known about a repository by the newest event about it. */
export function repositoriesOf(received: readonly Received[]): Map<string, RepositoryFact> {
  const known = new Map<string, RepositoryFact>();
  for (const { fact } of received.toSorted((one, other) => one.order - other.order))
    known.set(`${fact.repository.host} ${fact.repository.id}`, fact.repository);
  return known;
}

export interface WorkflowState {
  key: string;
  state: 'failed' | 'passed' | 'none';
  /** The run that decides. */
  lastRunId: number | null;
  /** When the first attempt began that was red since the last success. */
  since: number | null;
  failures: number;
  isBuilding: boolean;
  /** Why its failure may be nobody's: a job of it passed when it ran again, or exceeded its time. */
  excuses: readonly string[];
  /** Of a red workflow. */
  blame: Blame | undefined;
}

interface Commit {
  sha: string;
  /** Null when no push or pull request started its runs. */
  actor: string | null;
}

/** Whose commit made it red, as far as the evidence goes. */
export interface Blame {
  lastGreenRunId: number | null;
  /** Oldest first. */
  candidates: Commit[];
  named: Commit | null;
  noBlame: string | null;
}

/** The state of each workflow on the default branch. */
export function statesOf(
  { runs, jobs }: Rows,
  repositories: ReadonlyMap<string, RepositoryFact>,
  now: number,
): WorkflowState[] {
  const excused = excusesOf(jobs);
  const ofDefaultBranch = [...runs.values()].filter(({ newest: { repository, branch, fork } }) => {
    const { defaultBranch } = repositories.get(`${repository.host} ${repository.id}`) ?? repository;
    return fork === null && branch === defaultBranch;
  });
  return [...Map.groupBy(ofDefaultBranch, ({ newest }) => workflowKey(newest))].flatMap(([key, list]) => {
    const inOrder = list.toSorted((one, other) => one.newest.runId - other.newest.runId);
    const newest = inOrder.at(-1)?.newest;
    const isStale = newest === undefined || (newest.createdAt ?? now) < now - staleAfterDays * day;
    if (isStale) return [];
    const excuses = excused.get(key) ?? [];
    const isBuilding = list.some((run) => run.newest.status !== 'completed');
    return [{ key, isBuilding, excuses, ...streakOf(inOrder, [...runs.values()]) }];
  });
}

/** Whose commit it was that broke a workflow on any branch, as of each of its runs there that was red. */
export function blamesOn({ runs }: Rows, isOfBranch: (run: RunFact) => boolean): Blame[] {
  const all = [...runs.values()];
  const inOrder = all
    .filter(({ newest }) => isOfBranch(newest))
    .toSorted((one, other) => one.newest.runId - other.newest.runId);
  return inOrder.flatMap((_, index) => streakOf(inOrder.slice(0, index + 1), all).blame ?? []);
}

function streakOf(
  inOrder: readonly RunRow[],
  all: readonly RunRow[],
): Omit<WorkflowState, 'key' | 'isBuilding' | 'excuses'> {
  const results = inOrder.flatMap((run) => resultOf(run) ?? []);
  const last = results.at(-1);
  if (last === undefined)
    return { state: 'none', lastRunId: null, since: null, failures: 0, blame: undefined };
  // A run that passed and then failed when it ran again is both: it ends a streak and begins one.
  const greenAt = results.findLastIndex(({ passed }) => passed > 0);
  const green = results[greenAt];
  const streak = results.slice(Math.max(greenAt, 0)).filter(({ isRed }) => isRed);
  const begun = streak
    .map(({ run, reds, passed }) => ({
      run: run.newest,
      at: beginOf(reds.find(({ attempt }) => run !== green?.run || attempt > passed) ?? run.newest),
    }))
    .toSorted((one, other) => (one.at ?? 0) - (other.at ?? 0) || one.run.runId - other.run.runId);
  return {
    state: last.isRed ? 'failed' : 'passed',
    lastRunId: last.run.newest.runId,
    since: begun[0]?.at ?? null,
    failures: streak.length,
    blame: last.isRed ? blameOf(green?.run.newest, begun[0]?.run, all) : undefined,
  };
}

/** When an attempt began. */
const beginOf = ({ attempt, createdAt, startedAt }: RunFact): number | null =>
  attempt === 1 ? createdAt : (startedAt ?? createdAt);

/** Why the failures of a workflow may be nobody's, on any branch. */
export function excusesOf(jobs: Rows['jobs']): Map<string, string[]> {
  const list = [...jobs.values()];
  const late = list.filter(({ conclusion }) => conclusion === 'timed_out').map(workflowKey);
  const excuses = [
    ...[...withPassedReruns(list)].map((key) => ({ key, excuse: 'flaky' })),
    ...[...new Set(late)].map((key) => ({ key, excuse: 'infrastructure' })),
  ];
  return new Map(
    [...Map.groupBy(excuses, ({ key }) => key)].map(([key, own]) => [key, own.map(({ excuse }) => excuse)]),
  );
}

/** The workflows in which a job that failed passed in a later attempt of the same run. */
function withPassedReruns(jobs: readonly JobRow[]): Set<string> {
  const passed = jobs.filter((job) => job.conclusion === 'success');
  const flips = jobs.filter(
    ({ conclusion, runId, attempt }) =>
      red.includes(conclusion ?? '') &&
      passed.some((other) => other.runId === runId && other.attempt > attempt),
  );
  return new Set(flips.map(workflowKey));
}

const pushes = ['push', 'pull_request', 'pull_request_target'];

/**
 * The commits that came to the branch after the last success, up to the first failure, whatever workflow ran on them. A run without a time is
 * of the present: an older Gitea tells at the end of a run when it began.
 */
function blameOf(green: RunFact | undefined, first: RunFact | undefined, all: readonly RunRow[]): Blame {
  const nobody = { named: null, candidates: [] };
  if (green === undefined || first === undefined)
    return { ...nobody, lastGreenRunId: null, noBlame: 'no_success_before' };
  const lastGreenRunId = green.runId;
  const between = all
    .map((run) => run.newest)
    .filter(
      ({ repository, branch, fork, runId, sha, createdAt }) =>
        createdAt !== null &&
        repository.id === first.repository.id &&
        repository.host === first.repository.host &&
        branch === first.branch &&
        fork === first.fork &&
        runId > green.runId &&
        runId <= first.runId &&
        sha !== green.sha,
    )
    .toSorted((one, other) => one.runId - other.runId);
  const candidates = [...Map.groupBy(between, ({ sha }) => sha)].map(([sha, list]) => ({
    sha,
    actor: list.find(({ trigger }) => pushes.includes(trigger))?.actor ?? null,
  }));
  if (candidates.length === 0) return { ...nobody, lastGreenRunId, noBlame: 'same_commit' };
  // The queue tests it together with others, so its commit names nobody.
  if (first.branch.startsWith('gh-readonly-queue/'))
    return { named: null, candidates, lastGreenRunId, noBlame: 'merge_group' };
  if (candidates.length > 1) return { named: null, candidates, lastGreenRunId, noBlame: 'several_commits' };
  return { named: candidates[0] ?? null, candidates, lastGreenRunId, noBlame: null };
}

/** By the last attempt that passed or failed. One that is in progress, or was cancelled, takes no failure back. */
function resultOf(run: RunRow) {
  const ended = [...run.attempts.values()]
    .filter(({ status, conclusion }) => status === 'completed' && decided.includes(conclusion ?? ''))
    .toSorted((one, other) => one.attempt - other.attempt);
  const last = ended.at(-1);
  if (last === undefined) return undefined;
  const isRed = ({ conclusion }: RunFact): boolean => conclusion !== 'success';
  return {
    run,
    isRed: isRed(last),
    reds: ended.filter(isRed),
    /** The newest attempt that passed. 0 when none did. */
    passed: ended.findLast((one) => !isRed(one))?.attempt ?? 0,
  };
}
