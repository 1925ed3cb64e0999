import type { QueryConfig } from 'pg';
import { facetFields, runFacets, type RunFacet } from '#contract/runs/run-filter.ts';
import type { Tx } from '#platform/database/database.ts';
import { columnList, columnName, rawText, readRow } from '#platform/database/multi-row.ts';
import type { RunFilterSql } from './run-filter.ts';
import { type RunRow, runTable } from './objects/run.ts';

const newestFirst = 'order by r.created_at desc, r.run_id desc';

/** Scans the `scanLimit` newest runs of the source, and returns the `limit` newest that match all conditions. */
export async function listRunRows(
  tx: Tx,
  { source, byFacet, rest, values }: RunFilterSql,
  scanLimit: number,
  limit: number,
): Promise<RunRow[]> {
  const conditions = [...Object.values(byFacet), ...rest];
  const text = `select ${columnList(runTable, 'r.')}
    from (select * from workflow_runs r where ${source.join(' and ')} ${newestFirst} limit ${scanLimit}) r
    where ${conditions.join(' and ') || 'true'} ${newestFirst} limit ${limit}`;
  const result = await tx.query({ text, values, rowMode: 'array', types: rawText } as QueryConfig);
  return (result.rows as unknown as (string | null)[][]).map((texts) => readRow(runTable, texts));
}

/** The oldest scanned run. Undefined when no older runs exist, or when no filter limits the page. */
export async function findLastScanned(
  tx: Tx,
  { source, byFacet, rest, values }: RunFilterSql,
  scanLimit: number,
): Promise<Pick<RunRow, 'createdAt' | 'runId'> | undefined> {
  if (Object.keys(byFacet).length + rest.length === 0) return undefined;
  const used = Math.max(
    ...source
      .join(' ')
      .matchAll(/\$(\d+)/g)
      .map((match) => Number(match[1])),
  );
  const { rows } = await tx.query<{ at: string; id: string }>({
    text: `select round(extract(epoch from r.created_at) * 1000)::bigint as at, r.run_id as id from workflow_runs r
           where ${source.join(' and ')} ${newestFirst} offset ${scanLimit - 1} limit 2`,
    values: values.slice(0, used),
  });
  const [last, other] = rows;
  return last && other ? { createdAt: Number(last.at), runId: Number(last.id) } : undefined;
}

export interface FacetCount {
  facet: RunFacet;
  value: string;
  count: number;
}

/** The listed value of a facet: that of its first field that is not null. */
function facetValue(facet: RunFacet): string {
  return `coalesce(${facetFields[facet].map((field) => `r.${columnName(field)}`).join(', ')})`;
}

/**
 * Counts the values of each facet in the `scanLimit` newest runs of the source, most frequent first. A facet ignores its own
 * condition.
 */
export async function countFacets(
  tx: Tx,
  { source, byFacet, rest, values }: RunFilterSql,
  scanLimit: number,
  maxValues: number,
): Promise<{ counted: number; counts: FacetCount[] }> {
  const filtered = Object.keys(byFacet) as RunFacet[];
  const marks = filtered.map((facet) => `coalesce(${byFacet[facet]}, false) as "is_${facet}"`);
  const seen = `select ${runFacets.map((facet) => `${facetValue(facet)} as "${facet}"`).join(', ')},
    ${[...marks, `${rest.join(' and ') || 'true'} as meets_rest`].join(', ')}
    from (select * from workflow_runs r where ${source.join(' and ')} ${newestFirst} limit ${scanLimit}) r`;
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
