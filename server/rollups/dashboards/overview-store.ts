import type { Attention, RunMark } from '#contract/metrics/overview.ts';
import type { Tx } from '#platform/database/database.ts';
import { redConclusions } from '#contract/runs/conclusions.ts';
import { literals } from '#platform/database/rows/literals.ts';

/** Identifies a workflow of the integration. */
export interface WorkflowName {
  repository: string;
  workflow: string;
}

/** No forge lets a run wait or run longer. The completion of an older open run was lost. */
const longestRunDays = 35;

export async function countOpenRuns(
  tx: Tx,
  integrationId: string,
): Promise<{ running: number; waiting: number }> {
  const { rows } = await tx.query<{ running: number; waiting: number }>({
    name: 'count-open-runs',
    text: `select count(*) filter (where status = 'in_progress')::int as running,
             count(*) filter (where status <> 'in_progress')::int as waiting
           from workflow_runs
           where integration_id = $1 and completed_at is null and status <> 'completed'
             and created_at >= now() - interval '${longestRunDays} days'`,
    values: [integrationId],
  });
  return rows[0] ?? { running: 0, waiting: 0 };
}

/** The newest runs of each workflow, newest first, in the order of `workflows`. */
export async function listLastRuns(
  tx: Tx,
  integrationId: string,
  workflows: readonly WorkflowName[],
  each: number,
): Promise<RunMark[][]> {
  const { rows } = await tx.query<{ marks: MarkCells[] | null }>({
    name: `list-last-runs ${each}`,
    text: `select (
             select json_agg(json_build_array(r.run_id, r.run_number, r.status, r.conclusion)
               order by r.created_at desc, r.run_id desc)
             from (
               select * from workflow_runs w
               where w.integration_id = $1 and ${isWorkflow('w', 'k')}
               order by w.created_at desc, w.run_id desc limit ${each}) r
           ) as marks
           from (${named}) k order by k.n`,
    values: [integrationId, ...columns(workflows)],
  });
  return rows.map(({ marks }) => (marks ?? []).map(runMark));
}

type MarkCells = [number, number | null, string, string | null];

function runMark([runId, runNumber, status, conclusion]: MarkCells): RunMark {
  return { runId, runNumber, status, conclusion };
}

/** Completed runs of the default branch that are searched for the first red run. */
const maxScanned = 200;
const red = literals(redConclusions);

/** A red workflow without what failed in its last run. */
export type RedWorkflow = Omit<Attention, 'failing'> & { lastAttempt: number };

/** Workflows whose newest run on the default branch that succeeded or failed is red, longest red first. */
export async function listRedWorkflows(
  tx: Tx,
  integrationId: string,
  workflows: readonly WorkflowName[],
  limit: number,
): Promise<RedWorkflow[]> {
  const newest = (most: number, condition = 'true') => `
    select * from workflow_runs w
    where w.integration_id = $1 and w.on_default_branch and ${isWorkflow('w', 'k')} and ${condition}
    order by w.created_at desc, w.run_id desc limit ${most}`;
  return tx.rows<RedWorkflow>({
    name: `list-red-workflows ${limit}`,
    text: `select k.repository, k.workflow, last.head_branch as branch, last.conclusion, last.run_id::float8 as "lastRunId",
             last.attempt as "lastAttempt",
             ${isoTime('streak.since')} as since, not streak.is_cut as "sinceIsKnown", streak.failures,
             case when not streak.is_cut then ${firstBad} end as "firstBad",
             case when green.is_known then ${lastGreen} end as "lastGreen"
           from (${named}) k
           cross join lateral (
             select * from (${newest(50)}) n where n.conclusion = 'success' or n.conclusion in ${red}
             order by n.created_at desc, n.run_id desc limit 1) last
           cross join lateral (
             select coalesce(max(g.created_at), '-infinity') as created_at, coalesce(max(g.run_id), 0) as run_id,
               max(g.head_sha) as head_sha, count(*) = 1 as is_known
             from (
               select n.created_at, n.run_id, n.head_sha from (${newest(maxScanned)}) n where n.conclusion = 'success'
               order by n.created_at desc, n.run_id desc limit 1) g) green
           cross join lateral (
             select min(s.created_at) filter (where s.is_red) as since, count(*) filter (where s.is_red)::int as failures,
               not green.is_known and count(*) = ${maxScanned} as is_cut,
               (array_agg(s.run_id order by s.created_at, s.run_id) filter (where s.is_red))[1] as first_run_id
             from (
               select n.*, n.conclusion in ${red} as is_red
               from (${newest(maxScanned, '(w.created_at, w.run_id) > (green.created_at, green.run_id)')}) n) s) streak
           left join workflow_runs bad on bad.integration_id = $1 and bad.run_id = streak.first_run_id
           where last.conclusion in ${red}
           order by streak.since limit ${limit}`,
    values: [integrationId, ...columns(workflows)],
  });
}

const firstBad = `json_build_object('runId', bad.run_id, 'sha', bad.head_sha, 'title', coalesce(bad.title, bad.commit_message),
  'actor', coalesce(bad.actor, bad.triggering_actor))`;
const lastGreen = `json_build_object('runId', green.run_id, 'sha', green.head_sha, 'at', ${isoTime('green.created_at')})`;

/** `offset 0` computes the keys first: with row-level security, a function in the condition would prevent the index scan. */
const named = `select n.repository, n.workflow, n.n,
    hashtextextended(n.workflow, hashtextextended(n.repository, 0)) as key
  from unnest($2::text[], $3::text[]) with ordinality n (repository, workflow, n) offset 0`;

function isWorkflow(runs: string, names: string): string {
  return `${runs}.workflow_key = ${names}.key and ${runs}.repository = ${names}.repository and coalesce(${runs}.workflow_name, '') = ${names}.workflow`;
}

function isoTime(column: string): string {
  return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

function columns(workflows: readonly WorkflowName[]): [string[], string[]] {
  return [workflows.map(({ repository }) => repository), workflows.map(({ workflow }) => workflow)];
}
