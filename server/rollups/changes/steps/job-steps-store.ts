import { comparedRuns } from '#contract/metrics/steps.ts';
import { redConclusions, withoutResultConclusions } from '#contract/runs/conclusions.ts';
import { literals } from '#platform/database/rows/literals.ts';
import type { Tx } from '#platform/database/database.ts';
import { columnsOf } from '#platform/database/rows/columns-of.ts';

/** A job, or all jobs of a workflow. */
export interface StepsOf {
  repository: string;
  workflow: string;
  job: string | null;
  /** Start and end of both periods, in milliseconds since the epoch. A run belongs to the one in which it completed. */
  before: readonly [number, number];
  after: readonly [number, number];
}

/** The numbers of a step in one of both periods. */
export interface StepSample {
  /** The position of its job or workflow in the list. */
  index: number;
  isAfter: boolean;
  job: string;
  step: string;
  runs: number;
  failed: number;
  /** How often it succeeded or failed. */
  decided: number;
  /** The durations that are known. */
  durationsMs: number[];
  p50: number | null;
  p95: number | null;
}

/** Bounds of what is read of a run, and of the answer. */
const maxJobs = { ofName: 4, ofWorkflow: 30 } as const;
const maxStepsOfJob = 100;
const maxRows = 4000;
/** No forge lets a run take longer. */
const longestRun = `interval '35 days'`;

/**
 * The steps in the newest runs that completed in two periods. Reads a bounded number of jobs, whatever the length of the periods.
 * The rows with most runs come first.
 */
export async function listJobSteps(
  tx: Tx,
  integrationId: string,
  list: readonly StepsOf[],
  onDefaultBranch: boolean | undefined,
): Promise<StepSample[]> {
  if (list.length === 0) return [];
  const ofBranch = onDefaultBranch === undefined ? '' : `and w.on_default_branch = ${onDefaultBranch}`;
  return tx.rows<StepSample>({
    name: `list-job-steps ${onDefaultBranch}`,
    // `offset 0` computes the keys first: with row-level security, a function in the condition would prevent the index scan.
    text: `select k.n::int - 1 as index, k.is_after as "isAfter", j.name as job, s.step, count(*)::int as runs,
             count(*) filter (where s.conclusion = any ($9))::int as failed,
             count(*) filter (where s.conclusion = 'success' or s.conclusion = any ($9))::int as decided,
             coalesce(array_agg(s.ms::float8) filter (where s.ms is not null), '{}') as "durationsMs",
             percentile_disc(0.5) within group (order by s.ms)::float8 as p50,
             percentile_disc(0.95) within group (order by s.ms)::float8 as p95
           from (
             select n.*, p.*, hashtextextended(n.workflow, hashtextextended(n.repository, 0)) as key
             from unnest($2::text[], $3::text[], $4::text[], $5::timestamptz[], $6::timestamptz[], $7::timestamptz[], $8::timestamptz[])
               with ordinality n (repository, workflow, job, before_from, before_to, after_from, after_to, n)
             cross join lateral (values (false, n.before_from, n.before_to), (true, n.after_from, n.after_to)) p (is_after, start, finish)
             offset 0) k
           cross join lateral (
             select w.run_id from workflow_runs w
             where w.integration_id = $1 and w.workflow_key = k.key and w.created_at >= k.start - ${longestRun}
               and w.created_at < k.finish and w.completed_at >= k.start and w.completed_at < k.finish
               and w.repository = k.repository and coalesce(w.workflow_name, '') = k.workflow ${ofBranch}
             order by w.created_at desc, w.run_id desc limit ${comparedRuns}) r
           cross join lateral (
             select b.name, b.steps from workflow_jobs b
             where b.integration_id = $1 and b.run_id = r.run_id and b.completed_at is not null
               and (k.job is null or b.name = k.job)
             order by b.attempt desc, b.job_id desc
             limit case when k.job is null then ${maxJobs.ofWorkflow} else ${maxJobs.ofName} end) j
           cross join lateral (
             select e ->> 1 as step, e ->> 3 as conclusion,
               greatest(0, round(extract(epoch from (e ->> 5)::timestamptz - (e ->> 4)::timestamptz) * 1000)) as ms
             from json_array_elements(j.steps) e limit ${maxStepsOfJob}) s
           where s.conclusion is not null and s.conclusion not in ${literals(withoutResultConclusions)}
           group by 1, 2, 3, 4
           order by runs desc, index, job, step limit ${maxRows}`,
    values: [
      integrationId,
      ...columnsOf(list, 'repository', 'workflow', 'job'),
      ...(['before', 'after'] as const).flatMap((period) =>
        [0, 1].map((end) => list.map((one) => new Date(one[period][end]!).toISOString())),
      ),
      redConclusions,
    ],
  });
}
