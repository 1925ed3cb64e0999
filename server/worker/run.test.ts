import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Writable } from 'node:stream';
import pino from 'pino';
import { integrationId, runPayload } from '#test/support/forge-events.ts';
import { createTestQueue } from '#test/support/test-queue.ts';
import { waitUntil } from '#test/support/wait-until.ts';
import { makeAppWorker } from '#server/forge-app/app-work.ts';
import { buildWebhookMessage } from '#server/queue/message.ts';
import { makeWorker } from './run.ts';

const { database, queue } = await createTestQueue();
const { worker: db, asOwner } = database;

const failures: string[] = [];
const log = pino(
  { level: 'warn' },
  new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      const { msg } = JSON.parse(chunk.toString()) as { msg: string };
      if (msg === 'the worker could not go on') failures.push(msg);
      done();
    },
  }),
);

test('a full disk is no fault of a message: what was taken meanwhile is stored once there is room', async (t) => {
  await asOwner(`create function full_disk() returns trigger language plpgsql as
    $$ begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$`);
  await asOwner(
    'create trigger full_disk before insert on workflow_runs for each row execute function full_disk()',
  );
  await queue.send({
    groupId: integrationId,
    deduplicationId: 'one',
    body: buildWebhookMessage({
      integrationId,
      eventType: 'workflow_run',
      deliveryId: 'one',
      receivedAt: new Date(),
      payload: Buffer.from(JSON.stringify(runPayload())),
    }),
  });
  const worker = makeWorker({
    db,
    queue,
    log,
    clock: Date.now,
    concurrency: 1,
    timeoutMs: 20,
    appWorker: makeAppWorker({ db, role: 'member' }),
    loadLargePayload: async () => undefined,
    afterCommit: () => {},
    count: () => {},
  });
  t.after(() => worker.stop());
  await worker.start();
  // More often than a message may be out whose workers die.
  await waitUntil('the worker to have given up', () => failures.length >= 4);
  await asOwner('drop trigger full_disk on workflow_runs');
  await waitUntil('the event to be stored', async () => {
    return (await asOwner('select from workflow_runs')).length === 1;
  });
  assert.deepEqual(await queue.deadLetters.list(), []);
});
