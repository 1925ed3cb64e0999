import type { Tx } from '#platform/database/database.ts';
import { addStatement, columnName } from '#platform/database/rows/multi-row.ts';
import { hourMs } from '#platform/runtime/time-units.ts';
import { markDirtyDay } from './add-up-days-store.ts';
import { histogramNames, sumNames } from './quantities.ts';
import { hourlyTable } from './rollup-tables.ts';
import type { RollupRow } from './rollups.ts';

const assignments = new Map([
  ...sumNames
    .map(columnName)
    .map((column) => [column, `${column} = t.${column} + excluded.${column}`] as const),
  ...histogramNames
    .map(columnName)
    .map((column) => [column, `${column} = add_counts(t.${column}, excluded.${column})`] as const),
]);

/**
 * Adds to the hourly rollups without waiting for the answers, and marks the days of finalized hours that change. `now` is the
 * database's clock: the hour in progress is never finalized, so most changes need no other query.
 */
export function addToRollups(tx: Tx, deltas: readonly RollupRow[], now = Number.POSITIVE_INFINITY): void {
  if (deltas.length === 0) return;
  void tx.query(addStatement(hourlyTable, deltas, (column) => assignments.get(column)));
  const hours = new Map<string, Pick<RollupRow, 'integrationId' | 'start'>>();
  for (const { integrationId, start } of deltas)
    if (start + hourMs <= now) hours.set(`${integrationId} ${start}`, { integrationId, start });
  for (const { integrationId, start } of hours.values()) markDirtyDay(tx, integrationId, start);
}
