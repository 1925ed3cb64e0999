import type { Tx } from '#platform/database/database.ts';
import {
  bigint,
  bytea,
  nullable,
  text,
  uuid,
  type ColumnType,
} from '#platform/database/rows/column-types.ts';
import { columnList, defineTable, keyList, parameters } from '#platform/database/rows/multi-row.ts';
import { bucketCount } from './buckets.ts';
import { mostSeries, type CounterRow } from './counters.ts';
import type { PipelineResult } from './semantic-names.ts';

const counts: ColumnType<number[]> = { pgType: 'integer[]', encode: (list) => `{${list.join(',')}}` };

const counterTable = defineTable<CounterRow>('ci_counters', 4, {
  integrationId: uuid,
  kind: text as ColumnType<CounterRow['kind']>,
  series: bytea,
  result: text,
  repository: nullable(text),
  workflow: nullable(text),
  runner: nullable(text),
  count: bigint,
  sumMs: bigint,
  buckets: counts,
});
const columns = counterTable.fields.length;

/**
 * A stored series keeps its name, and new ones get theirs while there is room. All others are added up in a series without names.
 * `limit 1` forces an index lookup, as in `rowOfKey`.
 */
const addText = `
  with delta as (
    select k.*, (select true from ci_counters c
      where c.integration_id = k.integration_id and c.kind = k.kind and c.series = k.series limit 1) is true as is_stored
    from ${keyList(counterTable, columns)}
  ), stored as (
    select n.integration_id, n.kind, (select count(distinct c.series) from ci_counters c
      where c.integration_id = n.integration_id and c.kind = n.kind and c.series <> '') as number
    from (select distinct integration_id, kind from delta where not is_stored) n
  ), placed as (
    select d.*, d.is_stored or s.number + dense_rank() over (partition by d.integration_id, d.kind, d.is_stored order by d.series)
      <= case d.kind when 'run' then $${columns + 1}::integer else $${columns + 2}::integer end as is_named
    from delta d left join stored s using (integration_id, kind)
  )
  insert into ci_counters as t (${columnList(counterTable)})
  select integration_id, kind, case when is_named then series else '' end, result, case when is_named then repository end,
    case when is_named then workflow end, case when is_named then runner end, sum(count), sum(sum_ms),
    add_counts(array_fill(0, array[${bucketCount}]), sum_counts(buckets::integer[]))
  from placed group by 1, 2, 3, 4, 5, 6, 7 order by 1, 2, 3, 4
  on conflict (integration_id, kind, series, result) do update set
    count = t.count + excluded.count, sum_ms = t.sum_ms + excluded.sum_ms, buckets = add_counts(t.buckets, excluded.buckets)`;

export function upsertCounters(tx: Tx, deltas: readonly CounterRow[]): Promise<number> {
  const values = [...parameters(counterTable, deltas, columns), mostSeries.run, mostSeries.queue];
  return tx.execute({ name: 'add-to-ci-counters', text: addText, values });
}

export interface StoredCounter extends Pick<CounterRow, 'kind' | 'count' | 'sumMs' | 'buckets'> {
  /** Empty for jobs in the queue. */
  result: PipelineResult | '';
  /** Null in the series of everything beyond the limit, and in the other kind. */
  repository: string | null;
  workflow: string | null;
  runner: string | null;
}

export function listCounters(tx: Tx, integrationId: string): Promise<StoredCounter[]> {
  return tx.rows<StoredCounter>({
    name: 'list-ci-counters',
    text: `select kind, result, repository, workflow, runner, count::float8, sum_ms::float8 as "sumMs", buckets
           from ci_counters where integration_id = $1 order by kind, repository, workflow, runner, result`,
    values: [integrationId],
  });
}
