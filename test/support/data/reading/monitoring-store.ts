import assert from 'node:assert/strict';
import { beforeEach } from 'node:test';
import type { MonitoringEvent } from '#server/events/parsing/parse-event.ts';
import { objectTables } from '#test/support/data/reading/stored-rows.ts';
import { recordEvents, type RecordedEvent } from '#server/events/record-events.ts';
import { createTestDatabase, type TestDatabase } from '#test/support/database/test-database.ts';

/** The tables of all stored event types, and the rollups. */
export const monitoringTables = [...objectTables, 'hourly_rollups', 'ci_counters'];

export interface MonitoringStore {
  database: TestDatabase;
  /** Stores one batch, as the worker does. */
  record(...events: MonitoringEvent[]): Promise<RecordedEvent[]>;
  empty(): Promise<void>;
  /** The only row of a table. */
  row(table: string): Promise<Record<string, unknown>>;
}

/** A real database for a test file, whose monitoring tables are empty when a test begins. */
export async function createMonitoringStore(): Promise<MonitoringStore> {
  const database = await createTestDatabase();
  const empty = async (): Promise<void> => {
    // Repositories know the forges whose ids are kept apart.
    for (const table of [...monitoringTables, 'workflows', 'repositories'])
      await database.asOwner(`delete from ${table}`);
  };
  beforeEach(empty);
  return {
    database,
    empty,
    record: (...events) => {
      const integrationIds = [...new Set(events.map((event) => event.integrationId))];
      return database.worker.withScope({ integrationIds }, (tx) => recordEvents(tx, events));
    },
    row: async (table) => {
      const rows = await database.asOwner<Record<string, unknown>>(`select * from ${table}`);
      assert.equal(rows.length, 1);
      return rows[0]!;
    },
  };
}

/** `stored`, or why it is stale, for each event. */
export function outcomesOf(recorded: RecordedEvent[]): string[] {
  return recorded.map((result) => (result.outcome === 'stale' ? result.reason : result.outcome));
}
