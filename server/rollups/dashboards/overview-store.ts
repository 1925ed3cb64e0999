import type { RunMark } from '#contract/metrics/overview.ts';
import type { Tx } from '#platform/database/database.ts';
import type { WorkflowName } from '#server/runs/latest/workflow-states.ts';
import { isOpenRun } from '#server/runs/open-runs.ts';

export async function countOpenRuns(
  tx: Tx,
  integrationId: string,
): Promise<{ running: number; waiting: number }> {
  const { rows } = await tx.query<{ running: number; waiting: number }>({
    name: 'count-open-runs',
    text: `select count(*) filter (where status = 'in_progress')::int as running,
             count(*) filter (where status <> 'in_progress')::int as waiting
           from workflow_runs r where r.integration_id = $1 and ${isOpenRun('r')}`,
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

/** `offset 0` computes the keys first: with row-level security, a function in the condition would prevent the index scan. */
const named = `select n.repository, n.workflow, n.n,
    hashtextextended(n.workflow, hashtextextended(n.repository, 0)) as key
  from unnest($2::text[], $3::text[]) with ordinality n (repository, workflow, n) offset 0`;

function isWorkflow(runs: string, names: string): string {
  return `${runs}.workflow_key = ${names}.key and ${runs}.repository = ${names}.repository and coalesce(${runs}.workflow_name, '') = ${names}.workflow`;
}

function columns(workflows: readonly WorkflowName[]): [string[], string[]] {
  return [workflows.map(({ repository }) => repository), workflows.map(({ workflow }) => workflow)];
}
