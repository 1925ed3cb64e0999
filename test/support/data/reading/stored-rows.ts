import { recordEvents } from '#server/events/record-events.ts';
import { mapObjects } from '#server/events/types/objects.ts';
import type { SimulatedEvent } from '#server/simulate/event.ts';
import type { TestDatabase } from '#test/support/database/test-database.ts';
import { parsedEvent } from '../forge-events.ts';

/** The tables of all stored event types. */
export const objectTables = Object.values(mapObjects(({ table }) => table.name));

/** A bucket that was counted and taken back may stay as a zero, or not be there: both mean nothing. */
const rollupRows = `
  select (to_jsonb(r) || jsonb_build_object('durations', nonzero(r.durations), 'queue_times', nonzero(r.queue_times)))::text as row
  from hourly_rollups r where integration_id = $1 and count > 0 order by 1`.replace(
  /nonzero\((r\.\w+)\)/g,
  '(select jsonb_object_agg(i, $1[i]) from generate_subscripts($1, 1) i where $1[i] <> 0)',
);

export type StoredRows = Record<string, string[]>;

/** All rows of an integration as JSON text, sorted, so that two databases can be compared. */
export async function storedRows(
  { asOwner }: Pick<TestDatabase, 'asOwner'>,
  integrationId: string,
): Promise<StoredRows> {
  const rows: StoredRows = {};
  for (const table of objectTables) {
    const found = await asOwner<{ row: string }>(
      // A task fills in the reason of a failure later.
      `select (to_jsonb(t) - 'error_line')::text as row from ${table} t where integration_id = $1 order by 1`,
      [integrationId],
    );
    rows[table] = found.map(({ row }) => withoutSettling(row)).toSorted();
  }
  const rollups = await asOwner<{ row: string }>(rollupRows, [integrationId]);
  rows['rollups'] = rollups.map(({ row }) => row);
  return rows;
}

/** A task finds out later that a newer push superseded a run, and raises the rank in its version. */
function withoutSettling(text: string): string {
  const row = JSON.parse(text) as { superseded_by?: number | null; version?: string };
  if (row.superseded_by == null || row.version === undefined) return text;
  // The rank is the byte after the attempt.
  const version = `${row.version.slice(0, 10)}01${row.version.slice(12)}`;
  return text.replace(`"superseded_by": ${row.superseded_by}`, '"superseded_by": null').replace(row.version.slice(2), version.slice(2));
}

/** The rows that these events end in when each is processed once, in order, in another database. */
export async function expectedRows(
  database: TestDatabase,
  integrationId: string,
  events: readonly SimulatedEvent[],
): Promise<StoredRows> {
  for (let start = 0; start < events.length; start += 10) {
    const batch = events
      .slice(start, start + 10)
      .map(({ eventType, deliveryId, payload }) =>
        parsedEvent({ eventType, integrationId, deliveryId, payload }),
      );
    await database.worker.withScope({ integrationId }, (tx) => recordEvents(tx, batch));
  }
  return storedRows(database, integrationId);
}
