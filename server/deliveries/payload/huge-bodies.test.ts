import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import pino from 'pino';
import type { DeliveryDetail, DeliveryPage } from '#contract/deliveries/deliveries.ts';
import { storeLargePayload } from '#server/queue/messages/large-payload.ts';
import { buildWebhookMessage } from '#server/queue/messages/message.ts';
import { makePostgresQueue } from '#server/queue/postgres/engine.ts';
import { startDeliveryReader } from '#test/support/data/reading/delivery-reader.ts';
import { watchTurns } from '#test/support/waiting/short-turns.ts';

/** No worker: it would parse what is only to be looked at here. */
const { program, integration, browser, url, read } = await startDeliveryReader(['api']);
const { database, sealer } = program;
const { integrationId } = integration;

const mib = 1024 * 1024;
const receivedAt = new Date();

const queue = makePostgresQueue({
  db: database.api,
  sealer,
  log: pino({ level: 'silent' }),
  visibilityTimeoutMs: 600_000,
  retentionDays: 90,
});

/** Puts a payload into the queue as one that was received, past the limits of the door. */
async function send(deliveryId: string, payload: Buffer): Promise<void> {
  const head = { integrationId, eventType: 'workflow_run', deliveryId, receivedAt };
  const isLarge = payload.length > mib - 1024;
  const message = buildWebhookMessage(
    isLarge
      ? { ...head, payloadRef: await storeLargePayload(database.api, sealer, integrationId, payload) }
      : { ...head, payload },
  );
  await queue.send({ groupId: integrationId, deduplicationId: deliveryId, body: message });
}

/** The event loop of the product is also that of the test. */
const staysShort = watchTurns();

const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

for (const [name, payload] of [
  ['nested as deeply as it is long', Buffer.from('['.repeat(12 * mib) + ']'.repeat(12 * mib))],
  ['of a million fields', Buffer.from(`{${'"k":1,'.repeat(3 * mib)}"end":1}`)],
  [
    'of one level, and small enough for a message',
    Buffer.from('['.repeat(mib / 2 - 1024) + ']'.repeat(mib / 2 - 1024)),
  ],
] as const) {
  test(`a body ${name} is listed, shown in part and downloaded whole, and nobody waits for it`, async () => {
    const id = `huge-${payload.length}`;
    await send(id, payload);
    await staysShort('the list and the page', async () => {
      const { items } = await read<DeliveryPage>(`deliveries?q=${id}`);
      assert.equal(items[0]?.verdict, 'waiting');
      const { body, size, truncated } = await read<DeliveryDetail>(`deliveries/${id}`);
      assert.equal(body, payload.toString('latin1', 0, 256 * 1024));
      assert.deepEqual([size, truncated], [payload.length, true]);
    });
    const whole = await browser.fetch(url(`deliveries/${id}/body`));
    assert.equal(whole.status, 200);
    assert.equal(whole.headers.get('content-type'), 'application/octet-stream');
    assert.equal(whole.headers.get('x-content-type-options'), 'nosniff');
    assert.match(whole.headers.get('content-disposition') ?? '', /^attachment;/);
    assert.equal(digest(new Uint8Array(await whole.arrayBuffer())), digest(payload));
  });
}

test('a download of a payload that was changed in the database does not end as if it were whole', async () => {
  await send('changed', Buffer.from(`"${'x'.repeat(2 * mib)}"`));
  await database.asOwner(
    `update large_payload set body = overlay(body placing '\\x00'::bytea from 20)
     where payload_id = (select payload_id from large_payload order by needed_at desc limit 1)`,
  );
  await assert.rejects(async () => {
    const whole = await browser.fetch(url('deliveries/changed/body'));
    assert.equal(whole.status, 200);
    await whole.arrayBuffer();
  });
});
