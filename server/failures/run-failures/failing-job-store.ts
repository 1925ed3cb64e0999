import { literals } from '#platform/database/rows/literals.ts';
import { failedConclusions } from '#contract/runs/conclusions.ts';
import { maxNamedTests } from '#contract/failures/red-workflow.ts';
import type { FailureReason } from '#contract/failures/failure-reason.ts';
import type { Tx } from '#platform/database/database.ts';
import { otherBranches, reruns, streak, type StreakTerms } from '../groups/streak-sql-store.ts';

export interface FailingJobRow {
  run_id: string;
  job: string;
  step: string | null;
  jobs: number;
  error_line: string | null;
  /** Null while the reason is not stored; then the rest is empty. */
  failure_group_id: string | null;
  infrastructure: FailureReason['infrastructure'];
  branch: string | null;
  on_default_branch: boolean | null;
  is_marked_flaky: boolean;
  reruns: number;
  passed: number;
  default_runs: number;
  default_since: Date | null;
  branch_runs: number;
  branch_since: Date | null;
  failed_before: boolean;
  other_branches: number;
  other_since: Date | null;
  tests: { testId: string; name: string }[];
  failed_tests: number;
}

/** `run`: nothing after the failure counts. */
export type AsOf = 'run' | 'now';

const onDefault = (at: string): StreakTerms => ({
  groupId: 'f.failure_group_id',
  workflowKey: 'r.workflow_key',
  job: 'f.job',
  at,
  onBranch: (table) => `${table}.on_default_branch`,
});
/** Empty on the default branch. */
const onOwn = (at: string): StreakTerms => ({
  ...onDefault(at),
  onBranch: (table) => `not f.on_default_branch and ${table}.branch_key = f.branch_key`,
});

/** A run may fail with all of its tests. */
const countedTests = 1000;

/** Names and number of the tests that failed in the attempt `run`, as far as reports told. */
const failedTests = (run: string): string => `
  select coalesce(json_agg(json_build_object('testId', n.test_id, 'name', n.name) order by n.place)
      filter (where n.place <= ${maxNamedTests}), '[]') as tests, count(*)::int as failed_tests
  from (
    select t.test_id, t.name, row_number() over (order by t.broken_since desc nulls last, t.name, t.test_id) as place
    from (select distinct test_id from test_failures
          where integration_id = $1 and run_id = ${run}.run_id and attempt = ${run}.attempt and not is_flaky
          limit ${countedTests}) failed
    join tests t on t.integration_id = $1 and t.test_id = failed.test_id) n`;

/** The job of each attempt that failed first, with what its assessment needs. Attempts without a failed job are missing. */
export function listFailingJobs(
  tx: Tx,
  integrationId: string,
  attempts: readonly { runId: number; attempt: number }[],
  asOf: AsOf,
): Promise<FailingJobRow[]> {
  const at = asOf === 'now' ? 'now()' : 'f.failed_at';
  return tx.rows<FailingJobRow>({
    name: `list-failing-jobs ${asOf}`,
    text: `select k.run_id, j.name as job, j.jobs,
             (select s ->> 1 from json_array_elements(j.steps) s where s ->> 3 in ${literals(failedConclusions)} limit 1) as step,
             case when f.without_log is null then f.error_line end as error_line, f.failure_group_id, f.infrastructure,
             f.branch, f.on_default_branch, coalesce(g.status = 'flaky', false) as is_marked_flaky, again.reruns, again.passed,
             main.runs as default_runs, main.since as default_since, own.runs as branch_runs, own.since as branch_since,
             others.branches as other_branches, others.since as other_since,
             named.tests, named.failed_tests,
             exists (
               select from failure_reasons e
               where e.integration_id = $1 and e.failure_group_id = f.failure_group_id and e.branch_key = f.branch_key
                 and e.failed_at < f.failed_at and e.run_id <> f.run_id) as failed_before
           from unnest($2::bigint[], $3::integer[]) k (run_id, attempt)
           cross join lateral (
             select w.job_id, w.name, w.steps, count(*) over ()::int as jobs from workflow_jobs w
             where w.integration_id = $1 and w.run_id = k.run_id and w.attempt = k.attempt
               and w.conclusion in ${literals(failedConclusions)}
             order by w.completed_at, w.job_id limit 1) j
           left join workflow_runs r on r.integration_id = $1 and r.run_id = k.run_id
           left join failure_reasons f on f.integration_id = $1 and f.run_id = k.run_id and f.attempt = k.attempt
             and f.job_id = j.job_id
           left join failure_groups g on g.integration_id = $1 and g.failure_group_id = f.failure_group_id
           cross join lateral (${failedTests('k')}) named
           cross join lateral (${reruns('f.failure_group_id', at, 'k.run_id')}) again
           cross join lateral (${otherBranches('f.failure_group_id', at, 'f.branch_key')}) others
           cross join lateral (${streak(onDefault(at))}) main
           cross join lateral (${streak(onOwn(at))}) own`,
    values: [integrationId, attempts.map(({ runId }) => runId), attempts.map(({ attempt }) => attempt)],
  });
}
