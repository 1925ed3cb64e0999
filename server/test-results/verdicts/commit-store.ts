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
    text: `with told as materialized (
       select t.test_id, t.ordinal
       from test_failures f
       join tests t on t.integration_id = $1 and t.test_id = f.test_id and t.repository_key = $2 and t.suite = $3
       where f.integration_id = $1 and f.head_sha = $4 and f.job = $5 and f.counts and not f.passed
       group by 1, 2
     ), judged as materialized (
       select t.test_id, exists (
         select from test_reports r
         where r.integration_id = $1 and r.head_sha = $4 and r.repository_key = $2 and r.suite = $3 and r.job = $5 and ${passedIn}) as is_flaky
       from told t
       join test_reports own on own.integration_id = $1 and own.report_id = $6
       where has_bit(own.passed, t.ordinal) or exists (
         select from test_failures x where x.integration_id = $1 and x.test_id = t.test_id and x.report_id = $6)
     ), before as (
       select f.test_id, f.report_id, j.is_flaky, f.lost_ms
       from judged j
       join test_failures f on f.integration_id = $1 and f.test_id = j.test_id and f.head_sha = $4 and f.job = $5
       where f.counts and not f.passed and f.is_flaky <> j.is_flaky
     ), changed as (
       update test_failures f set is_flaky = b.is_flaky, lost_ms = case when b.is_flaky then (
         select (coalesce(extract(epoch from w.completed_at - w.started_at) * 1000, r.duration_ms) / greatest(r.failures, 1))::bigint
         from test_reports r
         left join workflow_jobs w on w.integration_id = $1 and w.run_id = r.run_id and w.attempt = r.attempt and w.job_id = r.job_id
         where r.integration_id = $1 and r.report_id = f.report_id) else 0 end
       from before b
       where f.integration_id = $1 and f.test_id = b.test_id and f.report_id = b.report_id
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
