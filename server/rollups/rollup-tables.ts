import {
  boolean,
  bytea,
  bigint,
  nullable,
  text,
  timestamptz,
  uuid,
  type ColumnType,
} from '#platform/database/rows/column-types.ts';
import { defineTable } from '#platform/database/rows/multi-row.ts';
import { eachOf, histogramNames, sumNames } from './quantities.ts';
import { readCounts } from './histograms.ts';
import type { Histogram, RollupKind, RollupRow } from './rollups.ts';

const histogram: ColumnType<Histogram> = {
  pgType: 'integer[]',
  encode: encodeHistogram,
  decode: decodeHistogram,
};

/** The columns of `hourly_rollups`, primary key first. `daily_rollups` has the same. */
export const hourlyTable = defineTable<RollupRow>('hourly_rollups', 4, {
  integrationId: uuid,
  kind: text as ColumnType<RollupKind>,
  start: timestamptz,
  series: bytea,
  repository: nullable(text),
  workflow: nullable(text),
  job: nullable(text),
  runner: nullable(text),
  onDefaultBranch: nullable(boolean),
  isSample: boolean,
  ...eachOf(sumNames, () => bigint),
  ...eachOf(histogramNames, () => histogram),
});

/** A Postgres array whose indexes are the buckets in use: `[37:39]={1,0,2}`. */
function encodeHistogram(counts: Histogram): string {
  if (counts.size === 0) return '{}';
  const buckets = [...counts.keys()];
  const [first, last] = [Math.min(...buckets), Math.max(...buckets)];
  const all = Array.from({ length: last - first + 1 }, (_, index) => counts.get(first + index) ?? 0);
  return `[${first}:${last}]={${all.join(',')}}`;
}

function decodeHistogram(value: string): Histogram {
  return new Map(
    readCounts(value).flatMap((count, bucket) => (count !== 0 ? [[bucket, count] as const] : [])),
  );
}
