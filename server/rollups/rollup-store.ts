import type { Tx } from '#platform/database/database.ts';
import {
  bucketKindFor,
  rollupKindFor,
  type Dimension,
  type HistogramName,
} from '#server/rollups/buckets/bucket-kinds.ts';
import type { HourRange } from '#server/rollups/buckets/rollup-buckets.ts';
import { addCounts, readCounts, type Counts } from './histograms.ts';

/** Selects the rollups to aggregate. */
export interface RollupFilter {
  integrationId: string;
  kind: 'run' | 'job' | 'runner';
  /** `at` is the time that the caller groups the range under. */
  ranges: readonly (HourRange & { at?: number })[];
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
} as const satisfies Record<Dimension, string>;

/** The dimensions of a group. Dimensions that are not grouped by are missing. */
export type Group = { at?: number; branch?: 'default' | 'other' } & Partial<
  Record<'repository' | 'workflow' | 'job' | 'runner', string>
>;

const sums = {
  count: 'count',
  succeeded: 'succeeded',
  failed: 'failed',
  cancelled: 'cancelled',
  reruns: 'reruns',
  billableMinutes: 'billable_minutes',
  durationMs: 'duration_ms',
} as const;
export type SumName = keyof typeof sums;
const sumNames = Object.keys(sums) as SumName[];

const histograms = {
  durations: 'durations',
  queueTimes: 'queue_times',
} as const satisfies Record<HistogramName, string>;

export type Sums = Group & Record<SumName, number> & Record<HistogramName, Counts>;

/** Aggregates rollups by group. Histograms that are not requested are empty. */
export async function aggregateRollups(
  tx: Tx,
  filter: RollupFilter,
  by: readonly Dimension[],
  asked: readonly HistogramName[] = [],
): Promise<Sums[]> {
  const { rows } = await tx.query<Group & Record<SumName, number> & HistogramColumns>({
    // Postgres truncates statement names to 63 characters.
    name: `sum ${[...by, ...asked.map((name) => name[0])].join(' ')}`,
    text: sumText(by, asked),
    values: filterValues(filter, by, asked),
  });
  return rows.map(({ durations, queueTimes, ...group }) => ({
    ...group,
    durations: readCounts(durations),
    queueTimes: readCounts(queueTimes),
  }));
}

type HistogramColumns = Partial<Record<HistogramName, string | null>>;

/** Adds up all groups. The result has no dimensions. */
export function total(groups: readonly Sums[]): Sums {
  const add = (name: SumName) => groups.reduce((sum, group) => sum + group[name], 0);
  return {
    ...(Object.fromEntries(sumNames.map((name) => [name, add(name)])) as Record<SumName, number>),
    durations: addCounts(groups.map(({ durations }) => durations)),
    queueTimes: addCounts(groups.map(({ queueTimes }) => queueTimes)),
  };
}

function sumText(by: readonly Dimension[], asked: readonly HistogramName[]): string {
  const names = by.map((name) => `${dimensions[name]} as "${name}"`);
  const numbers = sumNames.map((name) => `coalesce(sum(c.${sums[name]}), 0)::float8 as "${name}"`);
  const counts = asked.map((name) => `string_agg(c.${histograms[name]}, ';') as "${name}"`);
  const groups =
    by.length === 0 ? 'having count(*) > 0' : `group by ${by.map((_, index) => index + 1).join(', ')}`;
  return `select ${[...names, ...numbers, ...counts].join(', ')} from (${rowsText(asked)}) c ${groups}`;
}

const columnsRead = `c.repository, c.workflow, c.job, c.runner, c.on_default_branch, c.count, c.succeeded, c.failed, c.cancelled,
  c.reruns, c.billable_minutes, c.duration_ms`;
const conditions = `c.integration_id = $1 and ($2::text is null or c.repository = $2) and ($3::text is null or c.workflow = $3)
  and ($4::text is null or c.runner = $4) and ($5::boolean is null or c.on_default_branch = $5)`;
/** One index scan for each range (`offset 0`): with a long list the planner may choose to read the whole table. */
function rowsText(asked: readonly HistogramName[]): string {
  // Histograms are the largest part of a row, so only the requested ones are read.
  const columns = asked.map((name) => histograms[name]);
  const ofHours = columns.map((column) => `nullif(c.${column}, '{}')::text as ${column}`);
  const ofBlocks = columns.map((column) => `c.${column}`);
  return `
    select p.at, c.* from unnest($6::timestamptz[], $7::float8[]) p (hour, at) cross join lateral (
      select ${[columnsRead, ...ofHours].join(', ')}
      from rollups c where ${conditions} and c.kind = $8 and c.hour = p.hour offset 0) c
    union all
    select p.at, c.* from unnest($9::timestamptz[], $10::smallint[], $11::float8[]) p (start, hours, at) cross join lateral (
      select ${[columnsRead, ...ofBlocks].join(', ')}
      from rollup_blocks c where ${conditions} and c.kind = $12 and c.hours = p.hours and c.start = p.start offset 0) c`;
}

function filterValues(
  filter: RollupFilter,
  by: readonly Dimension[],
  asked: readonly HistogramName[],
): unknown[] {
  const { integrationId, ranges, repository, workflow, runner, onDefaultBranch } = filter;
  const text = (value: string | undefined) => value?.replaceAll('\0', '\uFFFD');
  const time = ({ start }: HourRange) => new Date(start).toISOString();
  const [hours, buckets] = [
    ranges.filter(({ hours }) => hours === 1),
    ranges.filter(({ hours }) => hours > 1),
  ];
  const needed = neededDimensions(filter, by);
  return [
    integrationId,
    text(repository),
    text(workflow),
    text(runner),
    onDefaultBranch,
    hours.map(time),
    hours.map(({ at }) => at),
    rollupKindFor(filter.kind, needed),
    buckets.map(time),
    buckets.map(({ hours }) => hours),
    buckets.map(({ at }) => at),
    bucketKindFor(filter.kind, needed, asked).name,
  ];
}

/** The dimensions that rows must keep apart: those grouped by and those filtered by. */
function neededDimensions(filter: RollupFilter, by: readonly Dimension[]): Dimension[] {
  const { repository, workflow, runner, onDefaultBranch: branch } = filter;
  const filters = Object.entries({ repository, workflow, runner, branch });
  const filtered = filters.filter(([, value]) => value !== undefined).map(([name]) => name as Dimension);
  return [...by.filter((name) => name !== 'at'), ...filtered];
}
