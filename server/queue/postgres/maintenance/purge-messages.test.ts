import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { queuedDeliveries } from '#test/support/queue/idle-queue.ts';
import { insertIntegration } from '#test/support/database/insert-integration.ts';
import { countRows, deleteRows, readRows } from '#test/support/database/rows.ts';
import { createTestQueue } from '#test/support/queue/test-queue.ts';
import { openSegment } from '../../messages/segment.ts';
import { purgeMessages } from './purge-messages.ts';

const { database, sealer, open, send } = await createTestQueue();

async function deleteIntegration(integrationId: string): Promise<void> {
  await insertIntegration(database, integrationId);
  await deleteRows(database, 'integrations', { integration_id: integrationId });
}

async function purge(groupId: string): Promise<number> {
  let segments = 0;
  for (let more = 1; more > 0; segments += more)
    more = await database.worker.withScope({ integrationId: groupId }, (tx) => purgeMessages(tx, sealer));
  return segments;
}

/** Everything that segments hold. */
async function storedText(): Promise<string> {
  const rows = await readRows<{ body: Buffer }>(database, 'queue_segment');
  return rows.map(({ body }) => openSegment(sealer, body).toString()).join();
}

async function receiveAll(): Promise<string[]> {
  const texts: string[] = [];
  // A process that has not sent these messages and reads the stored segments.
  const queue = open();
  const receive = () => queue.receive({ maxMessages: 10, waitMs: 0, signal: new AbortController().signal });
  for (let claim = await receive(); claim !== undefined; claim = await receive()) {
    texts.push(...claim.records.map(({ body }) => JSON.parse(body) as string));
    await claim.settle([]);
  }
  return texts;
}

test('bodies of a deleted integration leave the segments that it shares, and messages of others stay', async () => {
  const [doomed, other] = [randomUUID(), randomUUID()];
  await Promise.all([send(other, 'kept 1'), send(doomed, 'secret 1'), send(other, 'kept 2')]);
  await Promise.all([send(doomed, 'secret 2'), send(other, 'kept 3')]);
  await send(doomed, 'secret 3');
  assert.match(await storedText(), /kept 1.*secret 1.*secret 3/s);
  await deleteIntegration(doomed);
  assert.equal(await purge(doomed), 3);
  const text = await storedText();
  assert.ok(!text.includes('secret') && !text.includes(doomed), text);
  assert.equal(await countRows(database, 'queue_segment'), 2, 'a segment without messages is deleted');
  assert.deepEqual(await receiveAll(), ['kept 1', 'kept 2', 'kept 3']);
});

test('only messages of a deleted integration are purged', async () => {
  const groupId = randomUUID();
  await send(groupId, 'wanted');
  assert.equal(await purge(groupId), 0);
  assert.deepEqual(await receiveAll(), ['wanted']);
});

test('a segment that cannot be opened does not stop the purge', async () => {
  const groupId = randomUUID();
  await send(groupId, 'unreadable');
  await database.asOwner(`update queue_segment set body = overlay(body placing '\\x00'::bytea from 40)
    where segment_id = (select max(segment_id) from queue_segment)`);
  await deleteIntegration(groupId);
  assert.equal(await purge(groupId), 1);
  assert.deepEqual(await queuedDeliveries(database, groupId), []);
});
