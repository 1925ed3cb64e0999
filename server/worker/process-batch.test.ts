import assert from 'node:assert/strict';
import { test } from 'node:test';
import pino from 'pino';
import { integrationId, runPayload } from '#test/support/data/forge-events.ts';
import { createMonitoringStore } from '#test/support/data/reading/monitoring-store.ts';
import { makeAppWorker } from '#server/forge-app/app-work.ts';
import { buildWebhookMessage } from '#server/queue/messages/message.ts';
import type { QueueRecord } from '#server/queue/queue.ts';
import { processBatches } from './process-batch.ts';
import { storedRuns } from '#test/support/data/reading/stored-runs.ts';

const { database } = await createMonitoringStore();
const db = database.worker;

function recordOf(id: number, payload: object = runPayload({ id })): QueueRecord {
  const body = buildWebhookMessage({
    integrationId,
    eventType: 'workflow_run',
    deliveryId: `delivery-${id}`,
    receivedAt: new Date(),
    payload: Buffer.from(JSON.stringify(payload)),
  });
  const bytes = Buffer.alloc(body.length);
  body.copy(bytes, 0);
  return {
    messageId: String(id),
    body: bytes.toString(),
    attributes: {
      MessageGroupId: integrationId,
      MessageDeduplicationId: `delivery-${id}`,
      SentTimestamp: String(Date.now()),
      ApproximateReceiveCount: '1',
    },
  };
}

test('batches that share a transaction each tell what failed of their own, and the rest is stored', async () => {
  const Records = [recordOf(1), recordOf(2)];
  const withBadOnes = [
    recordOf(3, { action: 'completed' }),
    recordOf(4),
    { ...recordOf(5), body: 'no JSON' },
  ];
  let settled = 0;
  const results = await processBatches(
    {
      db,
      clock: Date.now,
      log: pino({ level: 'silent' }),
      timeoutMs: 60_000,
      appWorker: makeAppWorker({ db, role: 'member' }),
      loadLargePayload: async () => undefined,
      afterCommit: () => {},
      onDatabaseAway: () => {},
      count: () => {},
    },
    [{ Records }, { Records: withBadOnes }],
    async (failures) => void (settled += failures.length),
  );
  assert.deepEqual(results, [
    { batchItemFailures: [] },
    { batchItemFailures: [{ itemIdentifier: '3' }, { itemIdentifier: '5' }] },
  ]);
  assert.equal(settled, 2);
  const runIds = (await storedRuns(database, integrationId)).map(({ runId }) => runId);
  assert.deepEqual(runIds.toSorted(), [1, 2, 4]);
});
