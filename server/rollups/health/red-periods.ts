import { redExpiresAfterDays, type RedEnding } from '#contract/metrics/health.ts';
import { dayMs } from '#platform/runtime/time-units.ts';

/** An attempt of a run that passed or failed. Times are in milliseconds since the epoch. */
export interface Result {
  repository: string;
  workflow: string;
  branch: string | null;
  runId: number;
  attempt: number;
  /** Of the run. A newer run decides about the state of its workflow, however long an older one takes. */
  createdAt: number;
  completedAt: number;
  isRed: boolean;
  headSha: string | null;
  /** The beginning of the commit message. Null for failures. */
  message: string | null;
}

/** From the first failure to the next success of a workflow, or of all workflows of a branch. */
export interface Red {
  since: number;
  /** Null while it is red. */
  until: number | null;
  endedBy: RedEnding | null;
  first: Result;
  /** The result that ended it; null while it is red and when it expired. */
  last: Result | null;
  workflows: ReadonlySet<string>;
}

const expiresAfterMs = redExpiresAfterDays * dayMs;

/**
 * The red periods of a branch. It is red while one of its workflows is red, so those of its workflows merge where they overlap. What ended the
 * last of them ended the period.
 */
export function redPeriodsOf(results: readonly Result[], end: number): Red[] {
  const byWorkflow = Map.groupBy(results, ({ workflow }) => workflow);
  const all = [...byWorkflow.values()].flatMap((ofWorkflow) => periodsOfWorkflow(ofWorkflow, end));
  const merged: Red[] = [];
  for (const period of all.toSorted((a, b) => a.since - b.since)) {
    const before = merged.at(-1);
    if (before === undefined || period.since > endOf(before)) merged.push(period);
    else {
      const { until, endedBy, last } = endOf(period) >= endOf(before) ? period : before;
      const workflows = new Set([...before.workflows, ...period.workflows]);
      merged[merged.length - 1] = { ...before, until, endedBy, last, workflows };
    }
  }
  return merged;
}

const endOf = ({ until }: Pick<Red, 'until'>): number => until ?? Number.POSITIVE_INFINITY;

/** The newest attempt of the newest run that passed or failed is the state of a workflow. Other completions say nothing about it. */
function periodsOfWorkflow(results: readonly Result[], end: number): Red[] {
  const periods: Red[] = [];
  let newest: Result | undefined;
  let open: { first: Result; newest: Result } | undefined;
  const close = (until: number, endedBy: RedEnding, last: Result | null): void => {
    if (open !== undefined && until > open.first.completedAt)
      periods.push({ ...beginOf(open.first), until, endedBy, last });
    open = undefined;
  };
  const expire = (now: number): void => {
    if (open === undefined) return;
    const expiresAt = open.newest.completedAt + expiresAfterMs;
    if (now > expiresAt) close(expiresAt, 'stopped', null);
  };
  const inTime = results.filter(({ completedAt }) => completedAt < end);
  for (const result of inTime.toSorted((a, b) => a.completedAt - b.completedAt || byAge(a, b))) {
    if (newest !== undefined && byAge(result, newest) <= 0) continue;
    newest = result;
    expire(result.completedAt);
    if (result.isRed) open = { first: open?.first ?? result, newest: result };
    else if (open !== undefined) close(result.completedAt, endingOf(open.newest, result), result);
  }
  expire(end);
  if (open !== undefined) periods.push({ ...beginOf(open.first), until: null, endedBy: null, last: null });
  return periods;
}

/** The order of runs, and of the attempts of one. */
const byAge = (a: Result, b: Result): number =>
  a.createdAt - b.createdAt || a.runId - b.runId || a.attempt - b.attempt;

const beginOf = (first: Result): Pick<Red, 'since' | 'first' | 'workflows'> => ({
  since: first.completedAt,
  first,
  workflows: new Set([first.workflow]),
});

function endingOf(failed: Result, passed: Result): RedEnding {
  if (failed.runId === passed.runId) return 'rerun';
  if (failed.headSha !== null && failed.headSha === passed.headSha) return 'rerun';
  return isRevert(passed.message) ? 'revert' : 'commit';
}

/** As Git, GitHub, GitLab and conventional commits write it, also below the first line of a merge commit. */
export function isRevert(message: string | null): boolean {
  return message !== null && /^(revert "|revert(\([^()\n]*\))?!?:|this reverts commit )/im.test(message);
}

/** How much of a period is between two times. */
export function overlapMs({ since, until }: Pick<Red, 'since' | 'until'>, from: number, to: number): number {
  return Math.max(0, Math.min(until ?? to, to) - Math.max(since, from));
}
