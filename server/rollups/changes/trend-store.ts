import type { Tx } from '#platform/database/database.ts';
import { columnsOf } from '#platform/database/rows/columns-of.ts';
import type { Cover } from '../dashboards/cover-span.ts';
import { readCounts, type Counts } from '../histograms.ts';

/** Names one workflow or job. Of kind `job` without a job: all jobs of the workflow. */
export interface SeriesName {
  kind: 'run' | 'job';
  repository: string;
  workflow: string;
  job: string | null;
}

/** The numbers of one name in one hour or day of UTC. */
export interface StepSums {
  /** The position of the name in the list. */
  name: number;
  /** Start of the hour or day. */
  at: number;
  /** Runs that succeeded or failed. */
  decided: number;
  failed: number;
  recovered: number;
  minutes: number;
  durations: Counts;
}

/** Reads the numbers of some names by hour and day. The rows of each start come from one index scan (`offset 0`). */
export async function listStepSums(
  tx: Tx,
  integrationId: string,
  names: readonly SeriesName[],
  { days, hours }: Cover,
  onDefaultBranch: boolean | undefined,
): Promise<StepSums[]> {
  if (names.length === 0 || days.length + hours.length === 0) return [];
  const rowsOf = (table: string, parameter: number) => `
    select c.* from unnest($${parameter}::timestamptz[]) p (start) cross join lateral (
      select c.* from (select distinct kind from unnest($2::text[]) kind) k cross join lateral (
        select c.kind, c.repository, c.workflow, c.job, c.start, c.succeeded, c.failed, c.recovered,
          c.billable_minutes, c.durations
        from ${table} c where c.integration_id = $1 and c.kind = k.kind and c.start = p.start
          and ($6::boolean is null or c.on_default_branch = $6) offset 0) c offset 0) c`;
  const starts = (list: readonly number[]) => list.map((start) => new Date(start).toISOString());
  const rows = await tx.rows<Omit<StepSums, 'durations'> & { durations: string | null }>({
    name: 'list-step-sums',
    text: `select n.name::int - 1 as name, (extract(epoch from c.start) * 1000)::float8 as at,
             sum(c.succeeded + c.failed)::float8 as decided, sum(c.failed)::float8 as failed,
             sum(c.recovered)::float8 as recovered, sum(c.billable_minutes)::float8 as minutes,
             string_agg(nullif(c.durations, '{}')::text, ';') as durations
           from (${rowsOf('daily_rollups', 7)} union all ${rowsOf('hourly_rollups', 8)}) c
           join unnest($2::text[], $3::text[], $4::text[], $5::text[]) with ordinality n (kind, repository, workflow, job, name)
             on n.kind = c.kind and n.repository = c.repository and n.workflow = c.workflow and (n.job is null or n.job = c.job)
           group by 1, 2`,
    values: [
      integrationId,
      ...columnsOf(names, 'kind', 'repository', 'workflow', 'job'),
      onDefaultBranch,
      starts(days),
      starts(hours),
    ],
  });
  return rows.map((row) => ({ ...row, durations: readCounts(row.durations) }));
}
