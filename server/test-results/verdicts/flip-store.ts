import { flakyDays } from '#contract/tests/tests.ts';
import type { Tx } from '#platform/database/database.ts';
import { anyOf, mainFailures, mainReports, passedIn } from './pass-sql.ts';
import { flipsUntilFlaky } from './verdict.ts';

export interface JobOnMain {
  repositoryKey: string;
  suite: string;
  job: string;
  at: Date;
}

/**
 * Notes which failures of the tests follow a pass: those at `at`, and the next one, which may have followed another failure before.
 * @returns the tests whose notes changed
 */
export function noteFollowedPasses(
  tx: Tx,
  integrationId: string,
  { repositoryKey, suite, job, at }: JobOnMain,
  testIds: readonly string[],
): Promise<string[]> {
  if (testIds.length === 0) return Promise.resolve([]);
  return tx.column<string>({
    name: 'note-followed-passes',
    text: `with changed as (
       update test_failures f set follows_pass = n.follows_pass, is_flip = f.is_flip and n.follows_pass
       from (
         select t.test_id, e.at, exists (
           select from test_reports r
           where ${mainReports} and r.job = $4 and r.at <= e.at and r.at >= t.first_seen_at
             and r.at > coalesce((select max(f.at) from test_failures f where ${mainFailures} and f.job = $4 and f.at < e.at), '-infinity')
             and ${passedIn}) as follows_pass
         from tests t
         cross join lateral (
           select $5::timestamptz as at
           union all
           (select f.at from test_failures f where ${mainFailures} and f.job = $4 and f.at > $5 order by f.at limit 1)) e
         where t.integration_id = $1 and t.test_id = ${anyOf('$6')}) n
       where f.integration_id = $1 and f.test_id = n.test_id and f.job = $4 and f.at = n.at and f.on_main and f.counts
         and not f.passed and f.follows_pass <> n.follows_pass
       returning f.test_id)
     select distinct test_id from changed`,
    values: [integrationId, repositoryKey, suite, job, at, testIds],
  });
}

/** Marks the failures of the tests that are one of three flips of a job within 14 days. */
export async function markFlips(
  tx: Tx,
  integrationId: string,
  { job, at }: JobOnMain,
  testIds: readonly string[],
): Promise<void> {
  if (testIds.length === 0) return;
  const others = flipsUntilFlaky - 1;
  // The flip is the first, the second … of so many.
  const isOne = Array.from({ length: flipsUntilFlaky }, (_, place) => {
    const first = place === 0 ? 'at' : `lag(at, ${place}) over w`;
    const last = place === others ? 'at' : `lead(at, ${others - place}) over w`;
    return `coalesce(${last} - ${first} <= interval '${flakyDays} days', false)`;
  }).join(' or ');
  await tx.query({
    name: 'mark-flips',
    text: `with flips as materialized (
       select test_id, at, report_ids, was_flip, ${isOne} as is_flip
       from (select test_id, at, array_agg(report_id) as report_ids, bool_or(is_flip) as was_flip from test_failures
             where integration_id = $1 and test_id = any ($4) and job = $2 and follows_pass
               and at >= $3::timestamptz - interval '${2 * flakyDays} days'
             group by 1, 2) each
       window w as (partition by test_id order by at))
     update test_failures f set is_flip = n.is_flip
     from flips n
     where f.integration_id = $1 and f.test_id = n.test_id and f.report_id = any (n.report_ids) and n.is_flip <> n.was_flip
       and n.at >= $3::timestamptz - interval '${flakyDays} days'`,
    values: [integrationId, job, at, testIds],
  });
}
