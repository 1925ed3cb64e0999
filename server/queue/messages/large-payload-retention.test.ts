import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sqsEnv, startSqsServer } from '#test/support/queue/sqs-server.ts';
import { createTestQueue } from '#test/support/queue/test-queue.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { storeLargePayload } from './large-payload.ts';
import type { Queue } from '../queue.ts';
import { makeSqsQueue } from '../sqs/engine.ts';
import { deleteRows, ageRows, readRows } from '#test/support/database/rows.ts';

Object.assign(process.env, sqsEnv);

const { database, sealer, options, open } = await createTestQueue();
const { createQueue } = await startSqsServer();
const { queueUrl } = createQueue();

/** The payloads that the maintenance of the queue keeps, of some that were needed that many days ago. */
async function left(queue: Queue, ages: readonly number[]): Promise<number[]> {
  await deleteRows(database, 'large_payload');
  for (const days of ages) {
    const payloadRef = await storeLargePayload(database.api, sealer, String(days), Buffer.from('"x"'));
    await ageRows(database, 'large_payload.needed_at', `${days} days`, { payload_id: payloadRef });
  }
  const present = async () =>
    (await readRows(database, 'large_payload'))
      .map(({ group_id: days }) => Number(days))
      .sort((a, b) => a - b);
  await queue.start();
  try {
    await waitUntil('the oldest is gone', async () => !(await present()).includes(Math.max(...ages)));
  } finally {
    await queue.stop();
  }
  return present();
}

const sqs = { ...options, deadLetterUrl: undefined, queueUrl, sweeps: true, visibilityTimeoutMs: 500 };

test('large payloads stay as long as deliveries show them, whatever the retention', async () => {
  assert.deepEqual(await left(open({ sweeps: true, retentionDays: 60 }), [31, 68, 70]), [31, 68]);
  assert.deepEqual(await left(open({ sweeps: true, retentionDays: 10 }), [18, 20]), [18]);
});

test('and as long as a dead letter may be redriven', async () => {
  assert.deepEqual(await left(open({ sweeps: true, retentionDays: 2 }), [15, 17]), [15]);
});

test('and two weeks longer when messages come by way of Amazon SQS', async () => {
  assert.deepEqual(await left(makeSqsQueue({ ...sqs, retentionDays: 60 }), [82, 84]), [82]);
  assert.deepEqual(await left(makeSqsQueue({ ...sqs, retentionDays: 2 }), [29, 31]), [29]);
});
