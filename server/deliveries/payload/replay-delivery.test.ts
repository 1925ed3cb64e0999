import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DeliveryDetail, Replayed } from '#contract/deliveries/deliveries.ts';
import type { LogEntryPage } from '#contract/deliveries/event-log.ts';
import { startDeliveryReader } from '#test/support/data/reading/delivery-reader.ts';
import { runPayload } from '#test/support/data/forge-events.ts';
import { deleteRows } from '#test/support/database/rows.ts';

const { program, browser, url, read, post, settled } = await startDeliveryReader();
const { database } = program;

test('a replay goes through the queue again, past the deduplication, and is stale by itself', async () => {
  const run = await post('workflow_run', runPayload(), 'run');
  const answer = await browser.fetch(url(`deliveries/${run.deliveryId}/replay`), { method: 'POST' });
  assert.equal(answer.status, 202);
  const { forgeDeliveryId } = (await answer.json()) as Replayed;
  const again = await settled(forgeDeliveryId);
  assert.deepEqual([again.verdict, again.reason, again.replayed], ['stale', 'same_event', true]);
  assert.equal(again.receivedAt, run.receivedAt);
  const log = await read<LogEntryPage>('event-log?type=deliveries');
  assert.deepEqual(
    log.items.map(({ type }) => type),
    ['deliveries.replayed'],
  );
  const twice = await browser.fetch(url(`deliveries/${run.deliveryId}/replay`), { method: 'POST' });
  const third = await settled(((await twice.json()) as Replayed).forgeDeliveryId);
  assert.notEqual(third.deliveryId, again.deliveryId, 'the second replay was taken for a repeat');
});

test('a payload that lay apart is shown, and replayed, from where it is kept', async () => {
  const long = runPayload({ id: 555, display_title: 'x'.repeat(1_200_000) });
  const item = await post('workflow_run', long, 'large');
  assert.deepEqual([item.action, item.repository], ['any', 'acme/site']);
  const detail = await read<DeliveryDetail>(`deliveries/${item.deliveryId}`);
  assert.equal(detail.action, 'any');
  assert.ok(detail.truncated && (detail.size ?? 0) > 1_200_000);
  assert.equal(detail.body, JSON.stringify(long).slice(0, 256 * 1024));
  const whole = await browser.fetch(url(`deliveries/${item.deliveryId}/body`));
  assert.equal(whole.headers.get('content-disposition'), 'attachment; filename="delivery.json"');
  assert.deepEqual(await whole.json(), long);
  await deleteRows(database, 'large_payload');
  const answer = await browser.fetch(url(`deliveries/${item.deliveryId}/replay`), { method: 'POST' });
  assert.equal(answer.status, 409);
  const gone = await read<DeliveryDetail>(`deliveries/${item.deliveryId}`);
  assert.deepEqual([gone.action, gone.body], ['any', null]);
  assert.equal((await browser.fetch(url(`deliveries/${item.deliveryId}/body`))).status, 404);
});
