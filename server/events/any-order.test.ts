import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { createSimulator } from '#server/simulate/simulator.ts';
import {
  arbitraryBatches,
  arbitraryEvent,
  arbitraryJob,
  arbitraryRun,
} from '#test/support/data/arbitrary-events.ts';
import { integrationId, parsedEvent } from '#test/support/data/forge-events.ts';
import {
  createMonitoringStore,
  monitoringTables,
  outcomesOf,
} from '#test/support/data/reading/monitoring-store.ts';
import { countRows } from '#test/support/database/rows.ts';
import { storedRows, type StoredRows } from '#test/support/data/reading/stored-rows.ts';
import { objectOfExample, webhookExamples } from '#test/support/data/webhook-examples.ts';
import type { MonitoringEvent } from './parsing/parse-event.ts';
import { eventTypeOf } from './types/event-types.ts';

const { database, record, row, empty } = await createMonitoringStore();

async function recordAll(batches: readonly MonitoringEvent[][]): Promise<StoredRows> {
  await empty();
  for (const batch of batches) await record(...batch);
  return storedRows(database, integrationId);
}

test('every published example ends in the expected row and in no other', async () => {
  for (const { name, eventType, payload } of webhookExamples()) {
    await empty();
    const event = parsedEvent({ eventType, integrationId, receivedAt: Date.now(), payload });
    assert.deepEqual(outcomesOf(await record(event)), ['stored'], name);
    const counts: Record<string, number> = {};
    for (const table of monitoringTables) counts[table] = await countRows(database, table);
    const object = objectOfExample(eventType, payload);
    const { hourly_rollups: rollups, ci_counters: _, ...objects } = counts;
    assert.equal(
      Object.values(objects).reduce((sum, count) => sum + count, 0),
      1,
      name,
    );
    const { table } = eventTypeOf(eventType).object;
    const stored = await row(table.name);
    assert.equal(Number(stored[table.columns[table.keyLength - 1]!]), object.key, name);
    assert.equal(stored['status'] ?? stored['state'], object.status ?? object.state, name);
    if ('conclusion' in stored) assert.equal(stored['conclusion'], object.conclusion ?? null, name);
    const isCounted = eventType.startsWith('workflow_') && object.status === 'completed';
    assert.equal(rollups! > 0, isCounted, name);
  }
});

for (const [life, event] of [
  ['a life', arbitraryEvent],
  ['runs and their jobs, of forks too,', fc.oneof(arbitraryRun, arbitraryJob)],
] as const) {
  test(`every permutation of ${life} with repetitions, in any batches, ends in the same rows and rollups`, async () => {
    const lives = fc
      .array(event, { minLength: 1, maxLength: 16 })
      .chain((events) => fc.tuple(fc.constant(events), arbitraryBatches(events)));
    await fc.assert(
      fc.asyncProperty(lives, async ([events, batches]) => {
        assert.deepEqual(await recordAll(batches), await recordAll([events]));
      }),
      { numRuns: 60 },
    );
  });
}

test('simulated lifecycles end in the same rows in any order', async () => {
  const simulator = createSimulator({ seed: 'permutations', startAt: new Date(Date.UTC(2026, 0, 5)) });
  for (let life = 0; life < 12; life += 1) {
    const events = simulator
      .story()
      .map(({ eventType, deliveryId, at: receivedAt, payload }) =>
        parsedEvent({ eventType, integrationId, deliveryId, receivedAt, payload }),
      );
    const inOrder = await recordAll(events.map((event) => [event]));
    for (const batches of fc.sample(arbitraryBatches(events), { numRuns: 3, seed: life }))
      assert.deepEqual(await recordAll(batches), inOrder);
  }
});
