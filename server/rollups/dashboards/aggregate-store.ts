import type { Tx } from '#platform/database/database.ts';
import { columnName } from '#platform/database/rows/multi-row.ts';
import type { Cover } from './cover-span.ts';
import { makeBreaks } from '#platform/runtime/tasks/breaks.ts';
import { addCounts, readLongCounts, type Counts } from '../histograms.ts';
import { eachOf, histogramNames, sumNames, type HistogramName, type SumName } from '../quantities.ts';

/** Selects the rollups to aggregate. */
export interface RollupFilter {
  integrationId: string;
  kind: 'run' | 'job' | 'runner';
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

/** What numbers can be grouped by. `at` is the start of the hour or day. */
export type Dimension = keyof typeof dimensions;
export const allDimensions = Object.keys(dimensions) as Dimension[];

export interface Grouping {
  by: readonly Dimension[];
  /** Histograms that are not requested are empty. */
  histograms: readonly HistogramName[];
  /** The start of the hour or day that contains a time. */
  stepOf: (at: number) => number;
}

/** The dimensions of a group. Dimensions that are not grouped by are missing. */
export type Group = { at?: number; branch?: 'default' | 'other' } & Partial<
  Record<'repository' | 'workflow' | 'job' | 'runner', string>
>;

export type Sums = Group & Record<SumName, number> & Record<HistogramName, Counts>;

/** Aggregates the rows of days and hours by group. */
export async function aggregateRollups(
  tx: Tx,
  filter: RollupFilter,
  cover: Cover,
  grouping: Grouping,
): Promise<Sums[]> {
  if (cover.days.length + cover.hours.length === 0) return [];
  const { by, histograms } = grouping;
  const { rows } = await tx.query<
    Group & Record<SumName, number> & Partial<Record<HistogramName, string | null>>
  >({
    // Postgres truncates statement names to 63 characters.
    name: `sum ${[...by, ...histograms.map((name) => name[0])].join(' ')}`,
    text: sumText(by, histograms),
    values: valuesOf(filter, cover, grouping),
  });
  const takeBreak = makeBreaks();
  const sums: Sums[] = [];
  for (const row of rows) {
    const counts: Counts[] = [];
    for (const name of histogramNames) counts.push(await readLongCounts(row[name], takeBreak));
    sums.push({ ...row, ...eachOf(histogramNames, (name) => counts[histogramNames.indexOf(name)] ?? []) });
  }
  return sums;
}

/** Adds up all groups. The result has no dimensions, and histograms that are not requested are empty. */
export function total(groups: readonly Sums[], histograms: readonly HistogramName[] = histogramNames): Sums {
  return {
    ...eachOf(sumNames, (name) => groups.reduce((sum, group) => sum + group[name], 0)),
    ...eachOf(histogramNames, (name) =>
      histograms.includes(name) ? addCounts(groups.map((group) => group[name])) : [],
    ),
  };
}

function sumText(by: readonly Dimension[], histograms: readonly HistogramName[]): string {
  const names = by.map((name) => `${dimensions[name]} as "${name}"`);
  const numbers = sumNames.map((name) => `coalesce(sum(c.${columnName(name)}), 0)::float8 as "${name}"`);
  // Node adds histograms up. Postgres has no fast way to add arrays, and joins hundreds of short texts almost for free.
  const counts = histograms.map((name) => `string_agg(c.${columnName(name)}, ';') as "${name}"`);
  const groups =
    by.length === 0 ? 'having count(*) > 0' : `group by ${by.map((_, index) => index + 1).join(', ')}`;
  return `select ${[...names, ...numbers, ...counts].join(', ')}
    from (${rowsOf('daily_rollups', 7, histograms)} union all ${rowsOf('hourly_rollups', 9, histograms)}) c ${groups}`;
}

/**
 * The rows of the starts in parameter `first`. One index scan for each start (`offset 0`): with a long list the planner may
 * choose to read the whole table. Histograms are the largest part of a row, so only the requested ones are read.
 */
function rowsOf(table: string, first: number, histograms: readonly HistogramName[]): string {
  const columns = [
    'c.repository, c.workflow, c.job, c.runner, c.on_default_branch',
    ...sumNames.map((name) => `c.${columnName(name)}`),
    ...histograms.map((name) => `nullif(c.${columnName(name)}, '{}')::text as ${columnName(name)}`),
  ];
  return `
    select p.at, c.* from unnest($${first}::timestamptz[], $${first + 1}::float8[]) p (start, at) cross join lateral (
      select ${columns.join(', ')} from ${table} c
      where c.integration_id = $1 and c.kind = $2 and c.start = p.start
        and ($3::text is null or c.repository = $3) and ($4::text is null or c.workflow = $4)
        and ($5::text is null or c.runner = $5) and ($6::boolean is null or c.on_default_branch = $6) offset 0) c`;
}

/** The series of the whole integration is one row instead of one for each name. */
export function isOfAll(
  { kind, repository, workflow, runner, onDefaultBranch }: RollupFilter,
  by: Grouping['by'],
): boolean {
  return (
    kind !== 'runner' &&
    by.every((name) => name === 'at') &&
    [repository, workflow, runner, onDefaultBranch].every((value) => value === undefined)
  );
}

function valuesOf(filter: RollupFilter, { days, hours }: Cover, { by, stepOf }: Grouping): unknown[] {
  const { integrationId, kind, repository, workflow, runner, onDefaultBranch } = filter;
  const starts = (list: readonly number[]) => list.map((start) => new Date(start).toISOString());
  const steps = (list: readonly number[]) => list.map(stepOf);
  return [
    integrationId,
    isOfAll(filter, by) ? `${kind}_any` : kind,
    repository,
    workflow,
    runner,
    onDefaultBranch,
    starts(days),
    steps(days),
    starts(hours),
    steps(hours),
  ];
}
