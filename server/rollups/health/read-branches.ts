import type { BranchHealth, Health, HealthQuery, RedPeriod } from '#contract/metrics/health.ts';
import { redEndings } from '#contract/metrics/health.ts';
import type { Tx } from '#platform/database/database.ts';
import { showTime } from '#platform/runtime/times.ts';
import { percentilesOf } from './percentiles.ts';
import { overlapMs, redPeriodsOf, type Red, type Result } from './red-periods.ts';
import {
  listHiddenNames,
  listKnownSince,
  listResultsOn,
  listResultsOnDefault,
  maxResults,
  type KnownSince,
  type MergedRow,
  type Window,
} from './result-store.ts';

const maxWorkflows = 10;

/** A branch of a repository, and since when its state is known. */
interface Branch {
  repository: string;
  knownSince: number;
  reds: readonly (Red & { sinceIsKnown: boolean })[];
}

export interface Branches {
  branches: readonly Branch[];
  /** Since when no result is missing. */
  from: number;
  hiddenWorkflows: number;
}

/** The red periods of the default branch of each repository, or of another branch, from results of the window. */
export async function readBranches(
  tx: Tx,
  integrationId: string,
  { repository, branch }: Pick<HealthQuery, 'repository' | 'branch'>,
  window: Window,
): Promise<Branches> {
  const [{ results, known, from }, hidden] = await Promise.all([
    readResults(tx, integrationId, branch, window),
    listHiddenNames(tx, integrationId),
  ]);
  const isOfRepository = (of: { repository: string }) =>
    repository === undefined || of.repository === repository;
  const isHidden = new Set(hidden.map(keyOf));
  const isMeant = (of: { repository: string; workflow: string }) =>
    isOfRepository(of) && !isHidden.has(keyOf(of));
  return {
    branches: branchesOf(results.filter(isMeant), known.filter(isMeant), window.to),
    from,
    hiddenWorkflows: hidden.filter(isOfRepository).length,
  };
}

/** The results of the window, since when they are known of each workflow, and since when none is missing. */
async function readResults(
  tx: Tx,
  integrationId: string,
  branch: string | undefined,
  window: Window,
): Promise<{ results: Result[]; known: KnownSince[]; from: number }> {
  const knownBy = (results: readonly Result[]): KnownSince[] =>
    results.map(({ repository, workflow, completedAt: at }) => ({ repository, workflow, at }));
  if (branch !== undefined) {
    const { results, from } = await listResultsOn(tx, integrationId, branch, window);
    return { results, known: knownBy(results), from };
  }
  const [results, known] = await Promise.all([
    listResultsOnDefault(tx, integrationId, window),
    listKnownSince(tx, integrationId, window),
  ]);
  const reds = results
    .filter(({ isRed, completedAt }) => isRed && completedAt >= window.from)
    .map(({ completedAt }) => completedAt)
    .toSorted((a, b) => b - a);
  // An older run may have its first result later.
  return { results, known: [...known, ...knownBy(results)], from: reds[maxResults - 1] ?? 0 };
}

/** Names contain no NUL. */
const keyOf = ({ repository, workflow }: { repository: string; workflow: string }): string =>
  `${repository}\0${workflow}`;

function branchesOf(results: readonly Result[], known: readonly KnownSince[], end: number): Branch[] {
  const firstOf = new Map<string, number>();
  for (const each of known) {
    const key = keyOf(each);
    firstOf.set(key, Math.min(firstOf.get(key) ?? each.at, each.at));
  }
  const byRepository = Map.groupBy(results, ({ repository }) => repository);
  return [...Map.groupBy(known, ({ repository }) => repository)].map(([repository, ofRepository]) => ({
    repository,
    knownSince: ofRepository.reduce((first, { at }) => Math.min(first, at), end),
    reds: redPeriodsOf(byRepository.get(repository) ?? [], end).map((red) => ({
      ...red,
      // Before the first result of a workflow nothing is known.
      sinceIsKnown: red.since > (firstOf.get(keyOf(red.first)) ?? 0),
    })),
  }));
}

/** @param limit of the list of periods */
export function branchHealth(
  { branches, hiddenWorkflows }: Branches,
  { from, to }: Window,
  limit: number,
): BranchHealth {
  const shown = branches
    .flatMap(({ reds }) => reds)
    .map((red) => ({ red, redMs: overlapMs(red, from, to) }))
    .filter(({ redMs }) => redMs > 0);
  const observedMs = branches.reduce(
    (sum, { knownSince }) => sum + Math.max(0, to - Math.max(from, knownSince)),
    0,
  );
  const sum = (ending: string | null) => {
    const ofEnding = shown.filter(({ red }) => red.endedBy === ending);
    return { periods: ofEnding.length, redMs: totalOf(ofEnding) };
  };
  const fixed = shown.flatMap(({ red }) => (red.last === null ? [] : [red.last.completedAt - red.since]));
  const [commit, rerun, revert, stopped] = redEndings.map(sum);
  return {
    branches: branches.length,
    observedMs: observedMs === 0 ? null : observedMs,
    redMs: observedMs === 0 ? null : totalOf(shown),
    byEnding: { commit: commit!, rerun: rerun!, revert: revert!, stopped: stopped!, open: sum(null) },
    recoveries: percentilesOf(fixed),
    count: shown.length,
    periods: shown
      .toSorted((a, b) => b.red.since - a.red.since)
      .slice(0, limit)
      .map(({ red, redMs }) => periodObject(red, redMs, to)),
    hiddenWorkflows,
  };
}

const totalOf = (list: readonly { redMs: number }[]): number =>
  list.reduce((sum, { redMs }) => sum + redMs, 0);

function periodObject(red: Branch['reds'][number], redMs: number, end: number): RedPeriod {
  const { since, sinceIsKnown, until, endedBy, first, last, workflows } = red;
  const runOf = ({ runId, attempt, workflow, headSha }: Result) => ({ runId, attempt, workflow, headSha });
  return {
    repository: first.repository,
    branch: first.branch,
    since: showTime(since),
    sinceIsKnown,
    until: showTime(until),
    durationMs: (until ?? end) - since,
    redMs,
    endedBy,
    first: runOf(first),
    last: last && runOf(last),
    workflows: [...workflows].slice(0, maxWorkflows).map((workflow) => ({ workflow })),
  };
}

/** @param reds in the order of time */
function isRedAt(reds: Branch['reds'], at: number): boolean {
  let [low, high] = [0, reds.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (reds[middle]!.since <= at) low = middle + 1;
    else high = middle;
  }
  const red = reds[low - 1];
  return red !== undefined && at < (red.until ?? Infinity);
}

/** Of pull requests, those that were merged while the state of the branch was known. */
export function mergesOf(
  merged: readonly MergedRow[],
  { branches }: Branches,
  from: number,
  limit: number,
): Health['merges'] {
  const byRepository = new Map(branches.map((branch) => [branch.repository, branch]));
  const known = merged.flatMap((pull) => {
    const branch = byRepository.get(pull.repository);
    return branch !== undefined && pull.mergedAt >= Math.max(from, branch.knownSince)
      ? [{ pull, branch }]
      : [];
  });
  const intoRed = known.filter(({ pull, branch }) => isRedAt(branch.reds, pull.mergedAt));
  return {
    count: known.length,
    intoRed: known.length === 0 ? null : intoRed.length,
    items: intoRed.slice(0, limit).map(({ pull: { repository, number, title, url, mergedAt } }) => ({
      repository,
      number,
      title,
      url,
      mergedAt: showTime(mergedAt),
    })),
  };
}
