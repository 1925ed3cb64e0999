import { flakyDays } from '#contract/tests/tests.ts';

/** A test is new for this many days. */
const newDays = 7;

/** A test has vanished when its suite ran this often on the default branch without it. */
export const runsUntilVanished = 10;

/** An attempt in which more than half of at least this many tests fail says nothing about single tests. */
const massFailureTests = 20;

export function isMassFailure(ran: number, failed: number): boolean {
  return ran >= massFailureTests && failed * 2 > ran;
}

/**
 * The state of the test `t` as SQL. `suite.tenth_at` is the time of the report of its suite on the default branch that is number
 * `runsUntilVanished` from the end. A broken test is not called flaky, because it must be fixed.
 */
export const stateSql = `case
  when suite.tenth_at >= (date_trunc('day', t.last_seen_at at time zone 'UTC') + interval '1 day') at time zone 'UTC' then 'vanished'
  when t.broken_since is not null then 'broken'
  when t.last_flaky_at > now() - interval '${flakyDays} days' then 'flaky'
  when t.first_on_main_at > now() - interval '${newDays} days' then 'new'
  else 'healthy' end`;

/** A test that goes from pass to failure this often within 14 days on the default branch is flaky. */
export const flipsUntilFlaky = 3;

/** How often a test went from pass to failure in the reports of a leg, which are in the order of their times. */
export function countFlips(reports: readonly Date[], failures: readonly Date[]): number {
  const failed = new Set(failures.map((at) => at.getTime()));
  let flips = 0;
  let before = true;
  for (const at of reports) {
    const isFailed = failed.has(at.getTime());
    if (isFailed && !before) flips += 1;
    before = isFailed;
  }
  return flips;
}
