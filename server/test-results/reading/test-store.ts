import { flakyDays, type TestSort, type TestState } from '#contract/tests/tests.ts';
import type { Tx } from '#platform/database/database.ts';
import type { PagePosition } from '#platform/http/page-cursor.ts';
import { lowered, patternsOf } from '#platform/database/rows/words.ts';
import { testsOfBlock } from '../storing/day-blocks.ts';
import { identityColumns, type TestIdentity } from '../verdicts/state-store.ts';
import { runsUntilVanished, stateSql } from '../verdicts/verdict.ts';

export interface TestRow extends TestIdentity {
  state: TestState;
  brokenSince: Date | null;
  flakySince: Date | null;
  lastFlakyAt: Date | null;
  slowSince: Date | null;
  slowFromMs: number | null;
  slowMs: number | null;
  firstSeenAt: Date;
  lastSeenAt: Date;
  lastFailedAt: Date | null;
  passes: number;
  failures: number;
  flakes: number;
  skips: number;
  retried: number;
  passedRetries: number;
  otherBranches: number;
  durationMs: number;
  lostMs: number;
  /** Failures by day, oldest first. */
  trend: number[];
  /** The columns of its quarantine are null if there is none. */
  quarantineReason: string | null;
  quarantineOwner: string | null;
  quarantineOwnerName: string | null;
  quarantinedSince: Date | null;
  quarantinedUntil: Date | null;
  at_micros: string;
}

/** Days that lists add up. */
const summaryDays = 14;

const firstDay = `(now() at time zone 'UTC')::date - ${summaryDays - 1}`;

/** Failures of a test that are read for its summary. */
const countedFailures = 200;

/** Of tests in `t`, which has their state. */
const shown = `${identityColumns}, t.state,
  t.broken_since as "brokenSince", t.flaky_since as "flakySince", t.last_flaky_at as "lastFlakyAt",
  t.slow_since as "slowSince", t.slow_from_ms as "slowFromMs", t.slow_ms as "slowMs",
  t.first_seen_at as "firstSeenAt", t.last_seen_at as "lastSeenAt", t.last_failed_at as "lastFailedAt", p.*, s.*, f.*,
  q.reason as "quarantineReason", q.owner_id as "quarantineOwner", q.since as "quarantinedSince", q.until as "quarantinedUntil",
  (select coalesce(u.name, u.forge_login) from users u where u.user_id = q.owner_id) as "quarantineOwnerName"`;

/** Passes, skips and time of the test `t` by day and class of branch. */
export const resultsOf = (fromDay: string): string => `
  select b.day, b.on_main, b.passes[n] as passes, coalesce(b.skips[n], 0) as skips, b.duration_ms[n]::float8 as duration_ms
  from test_day_blocks b cross join (select t.ordinal % ${testsOfBlock} + 1 as n) place
  where b.integration_id = t.integration_id and b.repository_key = t.repository_key and b.suite = t.suite
    and b.block = t.ordinal / ${testsOfBlock} and b.day >= ${fromDay}
  offset 0`;

const sums = `left join test_quarantines q on q.integration_id = t.integration_id and q.test_id = t.test_id and q.until > now()
cross join lateral (
  select coalesce(sum(passes), 0)::int as passes, coalesce(sum(skips), 0)::int as skips,
    coalesce(sum(duration_ms), 0)::float8 as "durationMs"
  from (${resultsOf(firstDay)}) b) p
cross join lateral (
  select coalesce(sum(failures), 0)::int as failures, coalesce(sum(flakes), 0)::int as flakes,
    coalesce(sum(lost_ms), 0)::float8 as "lostMs",
    array(select coalesce(sum(x.failures), 0)::int from generate_series(0, ${summaryDays - 1}) as n
          left join test_days x on x.integration_id = t.integration_id and x.test_id = t.test_id and x.day = ${firstDay} + n
          group by n order by n) as trend
  from test_days d
  where d.integration_id = t.integration_id and d.test_id = t.test_id and d.day >= ${firstDay}) s
cross join lateral (
  select count(*) filter (where is_retried)::int as retried, count(*) filter (where is_flaky)::int as "passedRetries",
    count(distinct branch) filter (where not on_main and not is_flaky)::int as "otherBranches"
  from (
    select f.branch, f.on_main, f.is_flaky, f.is_flaky or f.retries > 0 or exists (
      select from test_reports r
      where r.integration_id = f.integration_id and r.run_id = f.run_id and r.attempt > f.attempt
        and r.suite = t.suite and r.job = f.job) as is_retried
    from test_failures f
    where f.integration_id = t.integration_id and f.test_id = t.test_id and f.counts and f.at >= ${firstDay}
    order by f.at desc limit ${countedFailures}) newest) f`;

/** Newest reports of a suite in which its runs are counted: each job of a run may send one. */
const reportsUntilVanished = 50 * runsUntilVanished;

/** Suites of the tests `t` of the integration `$1`. */
const suitesOf = (tests: string) => `suites as materialized (
  select each.*, (
    select min(at) from (
      select max(at) as at
      from (select r.run_id, r.at from test_reports r
            where r.integration_id = $1 and r.repository_key = each.repository_key and r.suite = each.suite and r.on_main
              and not r.is_mass_failure
            order by r.at desc limit ${reportsUntilVanished}) newest
      group by run_id order by 1 desc limit ${runsUntilVanished}) runs
    having count(*) = ${runsUntilVanished}) as tenth_at
  from (select distinct repository_key, suite from tests t where integration_id = $1 and ${tests}) each)`;

const suites = suitesOf('true');

const withSuite = 'join suites suite on suite.repository_key = t.repository_key and suite.suite = t.suite';

export interface TestFilter {
  state: TestState | undefined;
  repository: string | undefined;
  suite: string | undefined;
  isQuarantined: boolean | undefined;
  words: readonly string[];
}

const text = lowered(`t.class_name || ' ' || t.name || ' ' || coalesce(t.file, '') || ' ' || t.suite`);
const selected = `($2::text is null or t.repository = $2) and ($3::text is null or t.suite = $3)
  and ${text} like all ($4::text[]) and ($5::text is null or ${stateSql} = $5)`;

/** Whether the test `t` is in quarantine. */
const isInQuarantine = `exists (
  select from test_quarantines q where q.integration_id = t.integration_id and q.test_id = t.test_id and q.until > now())`;

const selectedBy = ({ isQuarantined }: TestFilter): string =>
  isQuarantined === undefined
    ? selected
    : `${selected} and ${isQuarantined ? isInQuarantine : `not ${isInQuarantine}`}`;

const valuesOf = (integrationId: string, { state, repository, suite, words }: TestFilter): unknown[] => [
  integrationId,
  repository ?? null,
  suite ?? null,
  patternsOf(words),
  state ?? null,
];

/** By their last failure, or by their last appearance if tests without a failure are listed, too. Newest first. */
export function listTests(
  tx: Tx,
  integrationId: string,
  filter: TestFilter,
  hasFailed: boolean,
  before: PagePosition | undefined,
  limit: number,
): Promise<TestRow[]> {
  const at = hasFailed ? 't.last_failed_at' : 't.last_seen_at';
  return tx.rows<TestRow>(
    `with ${suites}
     select ${shown}, (extract(epoch from ${at}) * 1000000)::bigint::text as at_micros
     from (
       select t.*, ${stateSql} as state from tests t ${withSuite}
       where t.integration_id = $1 and ${at} is not null and ${selectedBy(filter)}
         and ($6::text is null or (${at}, t.test_id) <
           (timestamptz 'epoch' + $6::bigint * interval '1 microsecond', $7::uuid))
       order by ${at} desc, t.test_id desc limit $8) t
     ${sums}
     order by ${at} desc, t.test_id desc`,
    [...valuesOf(integrationId, filter), before?.at ?? null, before?.id ?? null, limit],
  );
}

const sumOfDays = (column: string): string => `
  select test_id, sum(${column})::bigint as amount from test_days
  where integration_id = $1 and day >= ${firstDay} and ${column} > 0 group by test_id`;

/** Tests with their sums. */
const amounts: Record<Exclude<TestSort, 'failed'>, string> = {
  failures: sumOfDays('failures'),
  lost: sumOfDays('lost_ms'),
  duration: `
    select t.test_id, s.amount
    from (select repository_key, suite, block * ${testsOfBlock} + place - 1 as ordinal, sum(time)::bigint as amount
          from test_day_blocks b cross join lateral unnest(b.duration_ms) with ordinality as each (time, place)
          where integration_id = $1 and day >= ${firstDay} and time > 0 group by 1, 2, 3) s
    join tests t on t.integration_id = $1 and t.repository_key = s.repository_key and t.suite = s.suite and t.ordinal = s.ordinal`,
};

/** The tests with the largest sums of the last days, largest first. */
export function listTopTests(
  tx: Tx,
  integrationId: string,
  filter: TestFilter,
  by: keyof typeof amounts,
  before: PagePosition | undefined,
  limit: number,
): Promise<TestRow[]> {
  return tx.rows<TestRow>(
    `with ${suites}, top as (${amounts[by]})
     select ${shown}, t.amount::text as at_micros
     from (
       select t.*, ${stateSql} as state, top.amount from top
       join tests t on t.integration_id = $1 and t.test_id = top.test_id ${withSuite}
       where ${selectedBy(filter)} and ($6::text is null or (top.amount, t.test_id) < ($6::bigint, $7::uuid))
       order by top.amount desc, t.test_id desc limit $8) t
     ${sums}
     order by t.amount desc, t.test_id desc`,
    [...valuesOf(integrationId, filter), before?.at ?? null, before?.id ?? null, limit],
  );
}

export function findTests(tx: Tx, integrationId: string, testIds: readonly string[]): Promise<TestRow[]> {
  return tx.rows<TestRow>(
    `with ${suitesOf('t.test_id = any ($2)')}
     select ${shown}, '0' as at_micros
     from (select t.*, ${stateSql} as state from tests t ${withSuite} where t.integration_id = $1 and t.test_id = any ($2)) t
     ${sums}`,
    [integrationId, testIds],
  );
}

const isUnreliable = `(t.broken_since is not null or t.last_flaky_at > now() - interval '${flakyDays} days')`;

export function hasTests(tx: Tx, integrationId: string): Promise<boolean> {
  return tx.some('select from tests where integration_id = $1 order by test_id limit 1', [integrationId]);
}

/** Broken and flaky tests by state. It reads no others. */
export function countUnreliable(
  tx: Tx,
  integrationId: string,
): Promise<{ state: TestState; count: number }[]> {
  return tx.rows<{ state: TestState; count: number }>({
    name: 'count-unreliable-tests',
    text: `with ${suitesOf(isUnreliable)}
           select ${stateSql} as state, count(*)::int as count
           from tests t ${withSuite} where t.integration_id = $1 and ${isUnreliable} group by 1`,
    values: [integrationId],
  });
}

export interface TestGroup {
  state: TestState;
  repository: string;
  suite: string;
  count: number;
}

/** Tests by their properties, without the filter of one of them. */
export function countTests(tx: Tx, integrationId: string, filter: TestFilter): Promise<TestGroup[]> {
  return tx.rows<TestGroup>(
    `with ${suites}
     select ${stateSql} as state, t.repository, t.suite, count(*)::int as count
     from tests t ${withSuite} where t.integration_id = $1 and ${selectedBy(filter)}
     group by 1, 2, 3 order by count desc limit 5000`,
    valuesOf(integrationId, filter),
  );
}
