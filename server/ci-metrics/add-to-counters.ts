import type { Tx } from '#platform/database/database.ts';
import {
  bigint,
  bytea,
  nullable,
  text,
  uuid,
  type ColumnType,
} from '#platform/database/rows/column-types.ts';
import { addStatement, defineTable } from '#platform/database/rows/multi-row.ts';
import type { CounterRow } from './counters.ts';

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

const assignments: Record<string, string> = {
  count: 'count = t.count + excluded.count',
  sum_ms: 'sum_ms = t.sum_ms + excluded.sum_ms',
  buckets: 'buckets = add_counts(t.buckets, excluded.buckets)',
};

/** Adds to the counters without waiting for the answer. */
export function addToCounters(tx: Tx, deltas: readonly CounterRow[]): void {
  if (deltas.length > 0) void tx.query(addStatement(counterTable, deltas, (column) => assignments[column]));
}
