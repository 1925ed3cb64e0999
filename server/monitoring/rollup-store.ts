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
  /** Nobody asks for `succeeded` and the like, so that coarser sums will do. */
  isWithoutConclusions?: boolean;
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
    values: cellValues(filter, groupings),
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
    values: cellValues({ ...filter, isWithoutConclusions: true }, groupings),
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
const cellConditions = `r.integration_id = $1 and ($6::text is null or r.repository = $6) and ($7::text is null or r.workflow = $7)
  and ($8::text is null or r.runner = $8) and ($9::boolean is null or r.on_default_branch = $9)`;
/** Hour by hour, each from the index (offset): a list of many hours would tempt the planner to read the whole table. */
const cells = `
  select case $3 when 'day' then date_trunc('day', c.hour, 'UTC') else c.hour end as at, c.*
  from unnest($4::timestamptz[]) h (hour) cross join lateral (
    select r.hour, ${cellColumns} from rollups r
    where ${cellConditions} and r.kind = $2 and r.hour = h.hour offset 0) c
  union all
  select c.hour, c.* from unnest($5::timestamptz[]) d (day) cross join lateral (
    select r.hour, ${cellColumns} from rollups_daily r
    where ${cellConditions} and r.kind = $10 and r.hour = d.day offset 0) c`;

function cellValues(filter: CellFilter, groupings: Groupings): unknown[] {
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
    dailyKind(filter, groupings),
  ];
}

/** The coarsest sums of days that still tell apart what is asked for. */
function dailyKind(filter: CellFilter, groupings: Groupings): string {
  const { kind, repository, workflow, runner, onDefaultBranch, isWithoutConclusions } = filter;
  if (kind === 'runner') return kind;
  const names = used(groupings).filter((name) => name !== 'at');
  const isOfAll = [repository, workflow, runner, onDefaultBranch].every((value) => value === undefined);
  if (isOfAll && names.length === 0) return `${kind}_any`;
  return kind === 'job' && isWithoutConclusions === true && !names.includes('job') ? 'job_workflow' : kind;
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

/** What there is of an integration's numbers. */
export interface KnownDays {
  /** The starts of the days that are added up. */
  joined: ReadonlySet<number>;
  /** The first hour with any numbers; Infinity when there are none. */
  first: number;
}

export async function listKnownDays(
  tx: Tx,
  integrationId: string,
  { from, to }: Pick<TimeSpan, 'from' | 'to'>,
): Promise<KnownDays> {
  const { rows } = await tx.query<{ day: Date | null; first: Date | null }>({
    name: 'list-known-days',
    text: `select null as day, min(c.hour) as first from unnest('{run,job,runner}'::text[]) k (kind)
           cross join lateral (
             select r.hour from rollups r where r.integration_id = $1 and r.kind = k.kind order by r.hour limit 1) c
           union all
           select day, null from rollup_days where integration_id = $1 and day >= $2 and day < $3`,
    values: [integrationId, new Date(from).toISOString(), new Date(to).toISOString()],
  });
  return {
    joined: new Set(rows.flatMap(({ day }) => (day === null ? [] : [day.getTime()]))),
    first: rows.find(({ first }) => first !== null)?.first?.getTime() ?? Number.POSITIVE_INFINITY,
  };
}
