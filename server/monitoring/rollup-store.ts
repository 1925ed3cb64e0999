import type { Tx } from '#platform/database/database.ts';
import { bucketMiddleMs } from './buckets.ts';
import type { RollupKind } from './rollups.ts';
import type { Cover, TimeSpan } from './time-span.ts';

/** The cells to add up. */
export interface CellFilter {
  integrationId: string;
  kind: RollupKind;
  /** By what `at` is grouped. */
  granularity: TimeSpan['granularity'];
  cover: Cover;
  repository?: string | undefined;
  workflow?: string | undefined;
  runner?: string | undefined;
  onDefaultBranch?: boolean | undefined;
}

const dimensions = {
  at: 'c.at',
  repository: 'c.repository',
  workflow: 'c.workflow',
  job: 'c.job',
  runner: 'c.runner',
  branch: `case when c.on_default_branch then 'default' else 'other' end`,
} as const;
export type Dimension = keyof typeof dimensions;

/** One list of dimensions for each way to group; an empty one is the total. */
export type Groupings = readonly (readonly Dimension[])[];

/** Which of the groupings it belongs to, and the dimensions of that one; the others are null. */
export interface Group {
  grouping: number;
  /** Milliseconds since the epoch. */
  at: number | null;
  repository: string | null;
  workflow: string | null;
  job: string | null;
  runner: string | null;
  branch: 'default' | 'other' | null;
}

export interface Sums extends Group {
  count: number;
  succeeded: number;
  failed: number;
  cancelled: number;
  reruns: number;
  billableMinutes: number;
  durationMs: number;
}

/** Adds the cells up in one pass, once for each grouping. */
export async function sumCells(tx: Tx, filter: CellFilter, groupings: Groupings): Promise<Sums[]> {
  const sums = `sum(c.count)::float8 as count,
    coalesce(sum(c.count) filter (where c.conclusion = 'success'), 0)::float8 as succeeded,
    coalesce(sum(c.count) filter (where c.conclusion = any ('{failure,timed_out,startup_failure,action_required}')), 0)::float8 as failed,
    coalesce(sum(c.count) filter (where c.conclusion = 'cancelled'), 0)::float8 as cancelled,
    sum(c.reruns)::float8 as reruns, sum(c.billable_minutes)::float8 as "billableMinutes",
    sum(c.duration_ms)::float8 as "durationMs"`;
  const { rows } = await tx.query<Sums>({
    text: `select ${shownDimensions(groupings)}, ${sums} from (${cells}) c group by grouping sets (${sets(groupings)})`,
    values: cellValues(filter),
  });
  return rows.map((row) => ({
    ...row,
    grouping: groupings.findIndex((by) => maskOf(by, groupings) === row.grouping),
  }));
}

export interface Spread extends Group {
  p50Ms: number;
  p95Ms: number;
}

/** Percentiles of a histogram, within 5 %, for each group in which anything was measured. */
export async function spreadCells(
  tx: Tx,
  filter: CellFilter,
  histogram: 'durations' | 'queue_times',
  groupings: Groupings,
): Promise<Spread[]> {
  const names = used(groupings).map((name) => `"${name}"`);
  const group = ['grouping', ...names].join(', ');
  const { rows } = await tx.query<Group & { p50: number; p95: number }>({
    text: `select ${group},
             min(bucket) filter (where below >= ceil(total * 0.5)) as p50,
             min(bucket) filter (where below >= ceil(total * 0.95)) as p95
           from (
             select ${group}, bucket, n, sum(n) over (partition by ${group} order by bucket) as below,
               sum(n) over (partition by ${group}) as total
             from (
               select ${shownDimensions(groupings)}, array_lower(c.${histogram}, 1) + u.i - 1 as bucket, sum(u.n) as n
               from (${cells}) c cross join lateral unnest(c.${histogram}) with ordinality u (n, i)
               where u.n <> 0
               group by bucket, grouping sets (${sets(groupings)})
             ) b
           ) w
           where n > 0 group by ${group}`,
    values: cellValues(filter),
  });
  return rows.map(({ p50, p95, ...row }) => ({
    ...row,
    grouping: groupings.findIndex((by) => maskOf(by, groupings) === row.grouping),
    p50Ms: Math.round(bucketMiddleMs(Number(p50))),
    p95Ms: Math.round(bucketMiddleMs(Number(p95))),
  }));
}

const cellColumns = `r.repository, r.workflow, r.job, r.runner, r.on_default_branch, r.conclusion, r.count, r.reruns,
  r.billable_minutes, r.duration_ms, r.durations, r.queue_times`;
const cellConditions = `r.integration_id = $1 and r.kind = $2
  and ($6::text is null or r.repository = $6) and ($7::text is null or r.workflow = $7)
  and ($8::text is null or r.runner = $8) and ($9::boolean is null or r.on_default_branch = $9)`;
const cells = `
  select case $3 when 'day' then date_trunc('day', r.hour, 'UTC') else r.hour end as at, ${cellColumns}
  from rollups r where ${cellConditions} and r.hour = any ($4::timestamptz[])
  union all
  select r.hour, ${cellColumns} from rollups_daily r where ${cellConditions} and r.hour = any ($5::timestamptz[])`;

function cellValues(filter: CellFilter): unknown[] {
  const { integrationId, kind, granularity, cover, repository, workflow, runner, onDefaultBranch } = filter;
  const times = (list: number[]) => list.map((ms) => new Date(ms).toISOString());
  const text = (value: string | undefined) => value?.replaceAll('\0', '\uFFFD');
  return [
    integrationId,
    kind,
    granularity,
    times(cover.hours),
    times(cover.days),
    text(repository),
    text(workflow),
    text(runner),
    onDefaultBranch,
  ];
}

function used(groupings: Groupings): Dimension[] {
  return (Object.keys(dimensions) as Dimension[]).filter((name) => groupings.some((by) => by.includes(name)));
}

function shownDimensions(groupings: Groupings): string {
  const names = used(groupings);
  const mask = names.length === 0 ? '0' : `grouping(${names.map((name) => dimensions[name]).join(', ')})`;
  const columns = names.map((name) =>
    name === 'at' ? `(extract(epoch from c.at) * 1000)::float8 as at` : `${dimensions[name]} as "${name}"`,
  );
  return [`${mask} as grouping`, ...columns].join(', ');
}

/** Postgres's bit mask of a grouping: a bit for each dimension that it leaves out, the last one lowest. */
function maskOf(by: readonly Dimension[], groupings: Groupings): number {
  return used(groupings).reduce((mask, name) => mask * 2 + (by.includes(name) ? 0 : 1), 0);
}

function sets(groupings: Groupings): string {
  return groupings.map((by) => `(${by.map((name) => dimensions[name]).join(', ')})`).join(', ');
}

/** The starts of the days in the span that are added up. */
export async function listJoinedDays(
  tx: Tx,
  integrationId: string,
  { from, to }: Pick<TimeSpan, 'from' | 'to'>,
): Promise<Set<number>> {
  const { rows } = await tx.query<{ day: Date }>({
    name: 'list-joined-days',
    text: `select day from rollup_days where integration_id = $1 and day >= $2 and day < $3`,
    values: [integrationId, new Date(from).toISOString(), new Date(to).toISOString()],
  });
  return new Set(rows.map(({ day }) => day.getTime()));
}
