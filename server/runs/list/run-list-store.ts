import type { QueryConfig } from 'pg';
import { facetFields, type RunOrder } from '#contract/runs/run-filter.ts';
import { runFacets, type RunFacet } from '#contract/runs/run-facets.ts';
import type { Tx } from '#platform/database/database.ts';
import { columnList, columnName, rawText, readRow } from '#platform/database/rows/multi-row.ts';
import { shownWorkflow } from '../names/name-store.ts';
import type { RunFilterSql } from './run-filter.ts';
import { type RunRow, runTable } from '../objects/run.ts';

function newestFirst(order: RunOrder): string {
  return `order by r.${columnName(order)} desc, r.run_id desc`;
}

/** The conditions of each index scan. */
const scansOf = ({ source, branches }: RunFilterSql): string[] =>
  branches.map((branch) => [...source, branch].join(' and '));

/** The `scanLimit` newest runs of each scan. */
function scanned(filter: RunFilterSql, scanLimit: number): string {
  const [only, ...others] = scansOf(filter);
  if (others.length === 0)
    return `(select * from workflow_runs r where ${only} ${newestFirst(filter.order)} limit ${scanLimit})`;
  const ids = [only, ...others].map(
    (scan) =>
      `(select r.run_id from workflow_runs r where ${scan} ${newestFirst(filter.order)} limit ${scanLimit})`,
  );
  // An array, so that the runs are read by primary key whatever their estimated number is.
  return `(select * from workflow_runs r where r.integration_id = $1::uuid and r.run_id = any (array(${ids.join(' union ')})))`;
}

/** Scans the `scanLimit` newest runs of each source, and returns the `limit` newest that match all conditions. */
export async function listRunRows(
  tx: Tx,
  filter: RunFilterSql,
  scanLimit: number,
  limit: number,
): Promise<RunRow[]> {
  const conditions = [...Object.values(filter.byFacet), ...filter.rest];
  const text = `select ${columnList(runTable, 'r.')} from ${scanned(filter, scanLimit)} r
    where ${conditions.join(' and ') || 'true'} ${newestFirst(filter.order)} limit ${limit}`;
  const result = await tx.query({
    text,
    values: filter.values,
    rowMode: 'array',
    types: rawText,
  } as QueryConfig);
  return (result.rows as unknown as (string | null)[][]).map((texts) => readRow(runTable, texts));
}

/** Counts the matching runs among the `scanLimit` newest of each scan. */
export async function countMatches(
  tx: Tx,
  filter: RunFilterSql,
  scanLimit: number,
): Promise<{ scanned: number; matching: number }> {
  const conditions = [...Object.values(filter.byFacet), ...filter.rest];
  const { rows } = await tx.query<{ scanned: number; matching: number }>({
    text: `select count(*)::int as scanned, count(*) filter (where ${conditions.join(' and ') || 'true'})::int as matching
           from ${scanned(filter, scanLimit)} r`,
    values: filter.values,
  });
  return rows[0]!;
}

/**
 * The run down to which every scan has read. Undefined when no scan left older runs out, or when no filter limits the page.
 */
export async function findLastScanned(
  tx: Tx,
  filter: RunFilterSql,
  scanLimit: number,
): Promise<ListPosition | undefined> {
  if (Object.keys(filter.byFacet).length + filter.rest.length === 0) return undefined;
  const scans = scansOf(filter);
  const used = Math.max(...scans.flatMap(parametersOf));
  const { rows } = await tx.query<{ scan: number; at: string; id: string }>({
    text: scans
      .map(
        (scan, index) =>
          `(select ${index} as scan, round(extract(epoch from r.${columnName(filter.order)}) * 1000)::bigint as at, r.run_id as id
            from workflow_runs r where ${scan} ${newestFirst(filter.order)} offset ${scanLimit - 1} limit 2)`,
      )
      .join(' union all '),
    values: filter.values.slice(0, used),
  });
  const ends = scans.flatMap((_, index) => {
    const [last, other] = rows.filter(({ scan }) => scan === index);
    return last && other ? [{ at: Number(last.at), runId: Number(last.id) }] : [];
  });
  return ends.toSorted(compareNewest)[0];
}

function parametersOf(sql: string): number[] {
  return sql
    .matchAll(/\$(\d+)/g)
    .map((match) => Number(match[1]))
    .toArray();
}

/** A place in the order of the list. */
export interface ListPosition {
  at: number;
  runId: number;
}

export function positionOf(row: RunRow, order: RunOrder): ListPosition {
  return { at: row[order] ?? 0, runId: row.runId };
}

/** Orders as the list: newest first. */
export function compareNewest(a: ListPosition, b: ListPosition): number {
  return b.at - a.at || b.runId - a.runId;
}

export interface FacetCount {
  facet: RunFacet;
  value: string;
  count: number;
}

/** What is shown for the stored name of a facet, for integrations that renamed something. */
const shownFacets: Partial<Record<RunFacet, string>> = {
  workflow: `coalesce(${shownWorkflow('r')}, r.workflow_path)`,
};

/** The listed value of a facet: that of its first field that is not null. */
function facetValue(facet: RunFacet, isRenamed: boolean): string {
  const shown = shownFacets[facet];
  if (isRenamed && shown !== undefined) return shown;
  return `coalesce(${facetFields[facet].map((field) => `r.${columnName(field)}`).join(', ')})`;
}

/**
 * Counts the values of each facet in the `scanLimit` newest runs of the source, most frequent first. A facet ignores its own
 * condition.
 */
export async function countFacets(
  tx: Tx,
  filter: RunFilterSql,
  scanLimit: number,
  maxValues: number,
  isRenamed: boolean,
): Promise<{ counted: number; counts: FacetCount[] }> {
  const { byFacet, rest, values } = filter;
  const filtered = Object.keys(byFacet) as RunFacet[];
  const marks = filtered.map((facet) => `coalesce(${byFacet[facet]}, false) as "is_${facet}"`);
  const seen = `select ${runFacets.map((facet) => `${facetValue(facet, isRenamed)} as "${facet}"`).join(', ')},
    ${[...marks, `${rest.join(' and ') || 'true'} as meets_rest`].join(', ')}
    from ${scanned(filter, scanLimit)} r`;
  const counted = runFacets.map((facet) => {
    const others = filtered.filter((other) => other !== facet).map((other) => `s."is_${other}"`);
    return `(select '${facet}' as facet, s."${facet}" as value, count(*)::int as count from seen s
      where ${['s.meets_rest', `s."${facet}" is not null`, ...others].join(' and ')}
      group by 2 order by 3 desc, 2 limit ${maxValues})`;
  });
  const { rows } = await tx.query<FacetCount>({
    text: `with seen as materialized (${seen})
           ${counted.join(' union all ')} union all select '' as facet, null, count(*)::int from seen`,
    values,
  });
  return {
    counted: rows.find(({ value }) => value === null)?.count ?? 0,
    counts: rows.filter(({ value }) => value !== null),
  };
}
