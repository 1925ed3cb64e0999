import type { RunPoint } from '#contract/failures/failures.ts';
import type { Tx } from '#platform/database/database.ts';
import { columnsOf } from '#platform/database/rows/columns-of.ts';
import { runPoint, type RunPointRow } from '#server/runs/run-point.ts';

/** The runs of a workflow around a time. */
export interface Around {
  repository: string;
  workflow: string;
  /** The durations and results are those of this job; null: of the runs. */
  job: string | null;
  /** Milliseconds since the epoch. */
  at: number;
}

export interface RunAround extends RunPoint {
  onDefaultBranch: boolean;
  branch: string | null;
  url: string | null;
  completedAt: number;
  attempt: number;
  conclusion: string | null;
  durationMs: number | null;
}

/** Completed runs that were created before and after the time, the nearest. */
const runsBefore = 40;
const runsAfter = 20;

type RunRow = RunPointRow &
  Omit<RunAround, keyof RunPoint | 'completedAt'> & { index: number; completedAt: Date };

/** `offset 0` computes the keys first: with row-level security, a function in the condition would prevent the index scan. */
const named = `select n.*, hashtextextended(n.workflow, hashtextextended(n.repository, 0)) as key
  from unnest($2::text[], $3::text[], $4::text[], $5::timestamptz[]) with ordinality n (repository, workflow, job, at, n) offset 0`;

/** The completed runs around each time, oldest first, in the order of `list`. */
export async function listRunsAround(
  tx: Tx,
  integrationId: string,
  list: readonly Around[],
  onDefaultBranch: boolean | undefined,
): Promise<RunAround[][]> {
  const found = list.map((): RunAround[] => []);
  if (list.length === 0) return found;
  const nearest = (condition: string, order: 'asc' | 'desc', most: number) => `(
    select * from workflow_runs w
    where w.integration_id = $1 and w.workflow_key = k.key and w.repository = k.repository
      and coalesce(w.workflow_name, '') = k.workflow and w.completed_at is not null and ${condition}
      ${onDefaultBranch === undefined ? '' : `and w.on_default_branch = ${onDefaultBranch}`}
    order by w.created_at ${order}, w.run_id ${order} limit ${most})`;
  const { rows } = await tx.query<RunRow>({
    name: `list-runs-around ${onDefaultBranch}`,
    text: `select k.n::int - 1 as index, r.run_id, r.run_number, r.head_sha, r.title, coalesce(r.actor, r.triggering_actor) as actor,
             r.created_at, r.on_default_branch as "onDefaultBranch", r.head_branch as branch, r.url, r.completed_at as "completedAt",
             coalesce(j.attempt, r.attempt) as attempt,
             case when k.job is null then r.conclusion else j.conclusion end as conclusion,
             (greatest(0, extract(epoch from
               case when k.job is null then r.completed_at - r.started_at else j.completed_at - j.started_at end)) * 1000)::float8 as "durationMs"
           from (${named}) k
           cross join lateral (
             ${nearest('w.created_at < k.at', 'desc', runsBefore)} union all
             ${nearest('w.created_at >= k.at', 'asc', runsAfter)}) r
           left join lateral (
             select b.attempt, b.conclusion, b.started_at, b.completed_at from workflow_jobs b
             where b.integration_id = $1 and b.run_id = r.run_id and b.name = k.job and b.completed_at is not null
             order by b.attempt desc, b.job_id desc limit 1) j on k.job is not null
           order by 1, r.created_at, r.run_id`,
    values: [
      integrationId,
      ...columnsOf(list, 'repository', 'workflow', 'job'),
      list.map(({ at }) => new Date(at).toISOString()),
    ],
  });
  for (const row of rows) found[row.index]!.push(runAround(row));
  return found;
}

function runAround(row: RunRow): RunAround {
  const { onDefaultBranch, branch, url, attempt, conclusion, durationMs } = row;
  const completedAt = row.completedAt.getTime();
  return { ...runPoint(row), onDefaultBranch, branch, url, completedAt, attempt, conclusion, durationMs };
}
