import type { Tx } from '#platform/database/database.ts';
import { passedIn } from './pass-sql.ts';

export interface JobOnCommit {
  reportId: string;
  repositoryKey: string;
  suite: string;
  job: string;
  headSha: string;
}

/**
 * Marks failures on a commit as flakes if their test passed on it in the same job, in another attempt or run. A flake costs the failed job, or
 * the report's time if the job is not known. The tests that failed in it share that time.
 * @returns the tests whose marks changed
 */
export function markFlakes(
  tx: Tx,
  integrationId: string,
  { reportId, repositoryKey, suite, job, headSha }: JobOnCommit,
): Promise<string[]> {
  return tx.column<string>({
    name: 'mark-flakes',
    // Keys lead to each row, whatever Postgres expects of the number of failures on a commit.
    text: `with before as materialized (
       select f.test_id, f.report_id, f.lost_ms, f.is_flaky as was_flaky, exists (
         select from test_reports r
         where r.integration_id = $1 and r.head_sha = $4 and r.repository_key = $2 and r.suite = $3 and r.job = $5
           and not r.is_mass_failure and ${passedIn}) as is_flaky
       from test_failures f
       cross join lateral (
         select test_id, ordinal, repository_key, suite from tests where integration_id = $1 and test_id = f.test_id limit 1) t
       where f.integration_id = $1 and f.head_sha = $4 and f.job = $5 and f.counts and not f.passed
         and t.repository_key = $2 and t.suite = $3
         and (has_bit((select passed from test_reports where integration_id = $1 and report_id = $6), t.ordinal) or exists (
           select from test_failures x where x.integration_id = $1 and x.test_id = f.test_id and x.report_id = $6))
     ), changed as (
       update test_failures f set is_flaky = b.is_flaky, lost_ms = case when b.is_flaky then (
         select (coalesce(extract(epoch from w.completed_at - w.started_at) * 1000, r.duration_ms) / greatest(r.failures, 1))::bigint
         from test_reports r
         left join workflow_jobs w on w.integration_id = $1 and w.run_id = r.run_id and w.attempt = r.attempt and w.job_id = r.job_id
         where r.integration_id = $1 and r.report_id = f.report_id) else 0 end
       from before b
       where f.integration_id = $1 and f.test_id = b.test_id and f.report_id = b.report_id and b.is_flaky <> b.was_flaky
       returning f.test_id, (f.at at time zone 'UTC')::date as day, f.on_main, f.is_flaky, f.lost_ms - b.lost_ms as lost_ms
     ), counted as (
       update test_days d set flakes = d.flakes + c.flakes, lost_ms = d.lost_ms + c.lost_ms
       from (select test_id, day, on_main, sum(case when is_flaky then 1 else -1 end)::int as flakes,
               sum(lost_ms)::bigint as lost_ms from changed group by 1, 2, 3) c
       where d.integration_id = $1 and d.test_id = c.test_id and d.day = c.day and d.on_main = c.on_main
     )
     select distinct test_id from changed`,
    values: [integrationId, repositoryKey, suite, headSha, job, reportId],
  });
}
