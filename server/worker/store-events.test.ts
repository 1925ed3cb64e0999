import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventOf, integrationId, runPayload } from '#test/support/forge-events.ts';
import { createMonitoringStore } from '#test/support/monitoring-store.ts';
import { storeEvents } from './store-events.ts';

const { database } = await createMonitoringStore();

// The runner fails a test for a rejection that nobody waits for, as Node ends the worker for one.
test('a connection that breaks under a batch fails its transaction, and nothing else', async () => {
  const message = { messageId: '1', event: eventOf('workflow_run', runPayload()) };
  const work = database.worker.withScope({ integrationIds: [integrationId] }, async (tx) => {
    void tx.query('select pg_terminate_backend(pg_backend_pid())');
    await storeEvents(tx, [message], { together: true });
  });
  await assert.rejects(work);
});
