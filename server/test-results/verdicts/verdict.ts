import { flakyDays } from '#contract/tests/tests.ts';
import { dayMs } from '#platform/runtime/time-units.ts';

/** A test is new for this many days. */
const newDays = 7;

/** A test has vanished when its suite ran this often on the default branch without it. */
export const runsUntilVanished = 10;

/** An attempt, or a suite in it, in which more than half of at least this many tests fail says nothing about single tests. */
const massFailureTests = 20;

export function isMassFailure({ ran, failed }: { ran: number; failed: number }): boolean {
  return ran >= massFailureTests && failed * 2 > ran;
}

/**
 * The state of the test `t` as SQL. `suite.tenth_at` is the time of the run of its suite on the default branch that is number
 * `runsUntilVanished` from the end. A broken test is not called flaky, because it must be fixed.
 */
export const stateSql = `case
  when suite.tenth_at >= (date_trunc('day', t.last_seen_at at time zone 'UTC') + interval '1 day') at time zone 'UTC' then 'vanished'
  when t.broken_since is not null then 'broken'
  when t.last_flaky_at > now() - interval '${flakyDays} days' then 'flaky'
  when t.slow_since is not null then 'slow'
  when t.first_on_main_at > now() - interval '${newDays} days' then 'new'
  else 'healthy' end`;

/** A test that goes from pass to failure this often within 14 days on the default branch, in one job, is flaky. */
export const flipsUntilFlaky = 3;

/** The jobs whose results say whether a test is broken: a job that has not reported for 14 days was renamed or removed. */
export function activeJobs(newest: ReadonlyMap<string, Date>): string[] {
  const end = Math.max(...[...newest.values()].map(Number));
  return [...newest].filter(([, at]) => at.getTime() >= end - flakyDays * dayMs).map(([job]) => job);
}

/** A state, or parts of it, by the time of failures. */
export interface TestVerdict {
  brokenSince: Date | null;
  flakySince: Date | null;
  lastFlakyAt: Date | null;
}

/** What is stored about a test. */
export interface TestEvidence {
  /** The verdict so far. */
  known: TestVerdict;
  /** Whether the failures at the times of the verdict so far are deleted, because of their age. */
  isForgotten: { broken: boolean; flaky: boolean; lastFlaky: boolean };
  /** Active jobs in which its newest result on the default branch is a failure. */
  failing: {
    /** The first failure after the newest pass that is no flake. Null: all are flakes. */
    since: Date | null;
    /** No pass is known before that failure. */
    isOpen: boolean;
  }[];
  /** The newest flake, and the first one before it without a gap of more than 14 days. */
  flakes: { first: Date; last: Date } | undefined;
}

/**
 * The verdict on a test. It depends on what is stored and not on the order in which that arrived. What began before the oldest failure that is
 * stored keeps its beginning.
 */
export function verdictOf({ known, isForgotten, failing, flakes }: TestEvidence): TestVerdict {
  return {
    brokenSince: brokenSince({ known, isForgotten, failing }),
    ...flakyPeriod({ known, isForgotten, flakes }),
  };
}

function brokenSince({
  known,
  isForgotten,
  failing,
}: Pick<TestEvidence, 'known' | 'isForgotten' | 'failing'>): Date | null {
  const broken = failing.flatMap(({ since, isOpen }) => (since === null ? [] : [{ since, isOpen }]));
  if (isForgotten.broken && broken.some(({ isOpen }) => isOpen)) return known.brokenSince;
  return broken.map(({ since }) => since).toSorted((a, b) => a.getTime() - b.getTime())[0] ?? null;
}

function flakyPeriod({
  known,
  isForgotten,
  flakes,
}: Pick<TestEvidence, 'known' | 'isForgotten' | 'flakes'>): Pick<TestVerdict, 'flakySince' | 'lastFlakyAt'> {
  const forgottenLast = isForgotten.lastFlaky ? known.lastFlakyAt : null;
  const forgottenSince = isForgotten.flaky ? known.flakySince : null;
  if (flakes === undefined)
    return { flakySince: forgottenLast && forgottenSince, lastFlakyAt: forgottenLast };
  const { first, last } = flakes;
  const reach = first.getTime() - flakyDays * dayMs;
  const isOfForgotten = forgottenSince !== null && (known.lastFlakyAt?.getTime() ?? 0) >= reach;
  return { flakySince: isOfForgotten ? forgottenSince : first, lastFlakyAt: last };
}
