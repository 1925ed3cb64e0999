import type { Tx } from '#platform/database/database.ts';
import { columnsOf } from '#platform/database/rows/columns-of.ts';
import { dayMs, hourMs } from '#platform/runtime/time-units.ts';
import type { Cover } from '../../dashboards/cover-span.ts';
import { readCounts, type Counts } from '../../histograms.ts';
import { floor } from '../../time-span.ts';

/** Names one workflow or job. Of kind `job` without a job: all jobs of the workflow. */
export interface SeriesName {
  kind: 'run' | 'job';
  repository: string;
  workflow: string;
  job: string | null;
}

/** The numbers of one name in one hour or day. */
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
  /** The series of the name in this step, in hexadecimal digits. */
  series: string[];
}

interface StepRow extends Omit<StepSums, 'durations'> {
  durations: string | null;
}

const sums = `sum(c.succeeded + c.failed)::float8 as decided, sum(c.failed)::float8 as failed,
  sum(c.recovered)::float8 as recovered, sum(c.billable_minutes)::float8 as minutes,
  string_agg(nullif(c.durations, '{}')::text, ';') as durations, array_agg(distinct encode(c.series, 'hex')) as series`;

/** Reads the numbers of some names by hour or day. The rows of each start come from one index scan (`offset 0`). */
export async function readSteps(
  tx: Tx,
  integrationId: string,
  names: readonly SeriesName[],
  { days, hours }: Cover,
  filter: { stepMs: number; onDefaultBranch?: boolean | undefined },
): Promise<StepSums[]> {
  if (names.length === 0 || days.length + hours.length === 0) return [];
  const rowsOf = (table: string, first: number) => `
    select p.at, c.* from unnest($${first}::timestamptz[], $${first + 1}::float8[]) p (start, at) cross join lateral (
      select c.* from (select distinct kind from unnest($2::text[]) kind) k cross join lateral (
        select c.kind, c.repository, c.workflow, c.job, c.series, c.succeeded, c.failed, c.recovered,
          c.billable_minutes, c.durations
        from ${table} c where c.integration_id = $1 and c.kind = k.kind and c.start = p.start
          and ($6::boolean is null or c.on_default_branch = $6) offset 0) c offset 0) c`;
  const starts = (list: readonly number[]) => list.map((start) => new Date(start).toISOString());
  const ats = (list: readonly number[]) => list.map((start) => floor(start, filter.stepMs));
  const { rows } = await tx.query<StepRow>({
    name: 'read-steps',
    text: `select n.name::int - 1 as name, c.at, ${sums}
           from (${rowsOf('daily_rollups', 7)} union all ${rowsOf('hourly_rollups', 9)}) c
           join unnest($2::text[], $3::text[], $4::text[], $5::text[]) with ordinality n (kind, repository, workflow, job, name)
             on n.kind = c.kind and n.repository = c.repository and n.workflow = c.workflow and (n.job is null or n.job = c.job)
           group by 1, 2`,
    values: [
      integrationId,
      ...columnsOf(names, 'kind', 'repository', 'workflow', 'job'),
      filter.onDefaultBranch,
      starts(days),
      ats(days),
      starts(hours),
      ats(hours),
    ],
  });
  return rows.map(readSums);
}

/** The hours of some series. */
export interface SeriesHours {
  kind: 'run' | 'job';
  series: readonly string[];
  from: number;
  to: number;
}

/** At most this many series of one name are read by the hour. A job has one for each list of runner labels and class of branches. */
const maxSeries = 8;
/** A moment is searched in the two days around the start of a day. */
const maxHours = (2 * dayMs) / hourMs;

/** Reads the numbers of known series by the hour, each row by its primary key. `name` is the position in `wanted`. */
export async function readHours(
  tx: Tx,
  integrationId: string,
  wanted: readonly SeriesHours[],
): Promise<StepSums[]> {
  const keys = wanted.flatMap(({ kind, series, from, to }, name) =>
    Array.from({ length: Math.min(maxHours, Math.round((to - from) / hourMs)) }, (_, hour) =>
      series.slice(0, maxSeries).map((each) => ({ name, kind, series: each, start: from + hour * hourMs })),
    ).flat(),
  );
  if (keys.length === 0) return [];
  const { rows } = await tx.query<StepRow>({
    name: 'read-hours',
    text: `select k.name, (extract(epoch from k.start) * 1000)::float8 as at, ${sums}
           from (
             -- Computed first (offset 0): with row-level security, a function in the condition would prevent the index scan.
             select k.name, k.kind, k.start, decode(k.series, 'hex') as series
             from unnest($2::int[], $3::text[], $4::timestamptz[], $5::text[]) k (name, kind, start, series) offset 0) k
           cross join lateral (
             select * from hourly_rollups c
             where c.integration_id = $1 and c.kind = k.kind and c.start = k.start and c.series = k.series offset 0) c
           group by 1, 2`,
    values: [
      integrationId,
      ...columnsOf(keys, 'name', 'kind'),
      keys.map(({ start }) => new Date(start).toISOString()),
      keys.map(({ series }) => series),
    ],
  });
  return rows.map(readSums);
}

function readSums(row: StepRow): StepSums {
  return { ...row, durations: readCounts(row.durations) };
}
