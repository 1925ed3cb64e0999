import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { eventOf, integrationId, runPayload } from '#test/support/data/forge-events.ts';
import { dayMs, hourMs } from '#platform/runtime/time-units.ts';
import { createMonitoringStore } from '#test/support/data/reading/monitoring-store.ts';
import { insertIntegration } from '#test/support/database/insert-integration.ts';
import { readRows } from '#test/support/database/rows.ts';
import { addUpDays } from '#server/rollups/add-up-days.ts';
import { storeEvents } from './store-events.ts';

const { database } = await createMonitoringStore();

// The runner fails a test for a rejection that nobody waits for, as Node ends the worker for one.
test('a connection that breaks under a batch fails its transaction, and nothing else', async () => {
  const message = { messageId: '1', event: eventOf('workflow_run', runPayload()), receivedAt: null };
  const work = database.worker.withScope({ integrationIds: [integrationId] }, async (tx) => {
    void tx.query('select pg_terminate_backend(pg_backend_pid())');
    await storeEvents(tx, [message], { together: true });
  });
  await assert.rejects(work);
});

test('a change of a finalized hour marks its day as dirty, and one of the hour in progress marks none, whatever the clock of the process says', async () => {
  const integrationId = await insertIntegration(database);
  const hour = Date.now() - (Date.now() % hourMs) - 2 * hourMs;
  await addUpDays({ db: database.worker, lock: async () => {} }, integrationId, hour + hourMs + 600_000);
  const store = async (id: number, endedAt: number) => {
    const updated = new Date(endedAt).toISOString();
    const run = eventOf('workflow_run', runPayload({ id, status: 'completed', updated_at: updated }));
    assert.ok(run.type === 'workflow_run');
    const event = { ...run, integrationId, row: { ...run.row, integrationId } };
    await database.worker.withScope({ integrationIds: [integrationId] }, (tx) =>
      storeEvents(tx, [{ messageId: String(id), event, receivedAt: null }], { together: id % 2 === 0 }),
    );
  };
  const dirtyDays = async () =>
    (await readRows<{ day: Date }>(database, 'dirty_rollup_days')).map(({ day }) => day.getTime());
  await store(1, Date.now());
  assert.deepEqual(await dirtyDays(), []);
  mock.timers.enable({ apis: ['Date'], now: hour + 1_800_000 });
  for (const id of [2, 3]) await store(id, hour + id);
  mock.timers.reset();
  assert.deepEqual(await dirtyDays(), [hour - (hour % dayMs)]);
});

test('an event about a run that retention has removed is stale and counted nowhere', async () => {
  const integrationId = await insertIntegration(database);
  const event = (id: number, createdAt: number) => {
    const time = new Date(createdAt).toISOString();
    const payload = runPayload({
      id,
      status: 'completed',
      conclusion: 'failure',
      created_at: time,
      updated_at: time,
    });
    const run = eventOf('workflow_run', payload);
    assert.ok(run.type === 'workflow_run');
    return {
      messageId: String(id),
      event: { ...run, integrationId, row: { ...run.row, integrationId } },
      receivedAt: null,
    };
  };
  const messages = [event(1, Date.now() - 40 * dayMs), event(2, Date.now())];
  for (const together of [true, false]) {
    const outcomes: string[] = [];
    await database.worker.withScope({ integrationIds: [integrationId] }, (tx) =>
      storeEvents(tx, messages, {
        together,
        keptSince: Date.now() - 30 * dayMs,
        inTransaction: (_tx, _live, all) =>
          outcomes.push(...all.map((each) => (each.outcome === 'stale' ? each.reason : each.outcome))),
      }),
    );
    assert.equal(outcomes[0], 'past_retention');
  }
  const rows = await readRows<{ run_id: string }>(database, 'workflow_runs', {
    integration_id: integrationId,
  });
  assert.deepEqual(
    rows.map(({ run_id: id }) => id),
    ['2'],
  );
});
