import type { ChangedRun } from '#contract/metrics/changes.ts';
import type { Tx } from '#platform/database/database.ts';
import { columnsOf } from '#platform/database/rows/columns-of.ts';

/** The runs of a workflow that completed in a span. */
export interface RunsOf {
  repository: string;
  workflow: string;
  /** The durations and results are those of this job; null: of the runs. */
  job: string | null;
  /** About how many runs there are. */
  runs: number;
}

/** One entry of each list is a run, in the order of completion. */
export interface RunSequence {
  runIds: number[];
  attempts: number[];
  conclusions: (string | null)[];
  durationsMs: (number | null)[];
}

/** Of more runs than this only every second, third, … is read. A moment is a range of runs then. */
const mostRuns = 1000;
/** Runs that took longer are not part of a sequence, so that the index by creation bounds what is read. */
const longestRun = `interval '2 days'`;

/** The completed runs of each workflow, in the order of `list`. */
export async function listRunSequences(
  tx: Tx,
  integrationId: string,
  list: readonly RunsOf[],
  { from, to }: { from: number; to: number },
  onDefaultBranch: boolean | undefined,
): Promise<RunSequence[]> {
  if (list.length === 0) return [];
  return tx.rows<RunSequence>({
    name: `list-run-sequences ${onDefaultBranch}`,
    // `offset 0` computes the keys first: with row-level security, a function in the condition would prevent the index scan.
    text: `select coalesce(s."runIds", '{}') as "runIds", coalesce(s.attempts, '{}') as attempts,
             coalesce(s.conclusions, '{}') as conclusions, coalesce(s."durationsMs", '{}') as "durationsMs"
           from (
             select n.*, hashtextextended(n.workflow, hashtextextended(n.repository, 0)) as key
             from unnest($2::text[], $3::text[], $4::text[], $5::int[]) with ordinality n (repository, workflow, job, every, n) offset 0) k
           cross join lateral (
             select array_agg(r.run_id::float8 order by r.place) as "runIds",
               array_agg(coalesce(j.attempt, r.attempt)::int order by r.place) as attempts,
               array_agg(case when k.job is null then r.conclusion else j.conclusion end order by r.place) as conclusions,
               array_agg((greatest(0, extract(epoch from case when k.job is null then r.completed_at - r.started_at
                 else j.completed_at - j.started_at end)) * 1000)::float8 order by r.place) as "durationsMs"
             from (
               select w.run_id, w.attempt, w.conclusion, w.started_at, w.completed_at,
                 row_number() over (order by w.completed_at, w.run_id) as place
               from workflow_runs w
               where w.integration_id = $1 and w.workflow_key = k.key and w.repository = k.repository
                 and coalesce(w.workflow_name, '') = k.workflow
                 and w.created_at >= $6::timestamptz - ${longestRun} and w.created_at < $7
                 and w.completed_at >= $6 and w.completed_at < $7
                 ${onDefaultBranch === undefined ? '' : `and w.on_default_branch = ${onDefaultBranch}`}) r
             left join lateral (
               select b.attempt, b.conclusion, b.started_at, b.completed_at from workflow_jobs b
               where b.integration_id = $1 and b.run_id = r.run_id and b.name = k.job and b.completed_at is not null
               order by b.attempt desc, b.job_id desc limit 1) j on k.job is not null
             where r.place % k.every = 0 and (k.job is null or j.attempt is not null)) s
           order by k.n`,
    values: [
      integrationId,
      ...columnsOf(list, 'repository', 'workflow', 'job'),
      list.map(({ runs }) => Math.max(1, Math.ceil(runs / mostRuns))),
      new Date(from).toISOString(),
      new Date(to).toISOString(),
    ],
  });
}

/** A run with what a comparison of commits needs. */
export interface NamedRun extends ChangedRun {
  branch: string | null;
  url: string | null;
}

/** Some runs by id. */
export async function findNamedRuns(
  tx: Tx,
  integrationId: string,
  runIds: readonly number[],
): Promise<Map<number, NamedRun>> {
  if (runIds.length === 0) return new Map();
  const rows = await tx.rows<Omit<NamedRun, 'completedAt'> & { completedAt: Date }>({
    name: 'find-named-runs',
    text: `select r.run_id::float8 as "runId", r.run_number::float8 as "runNumber", r.head_sha as "headSha", r.title,
             r.completed_at as "completedAt", r.head_branch as branch, r.url
           from workflow_runs r where r.integration_id = $1 and r.run_id = any ($2::bigint[])`,
    values: [integrationId, runIds],
  });
  return new Map(rows.map((row) => [row.runId, { ...row, completedAt: row.completedAt.toISOString() }]));
}
