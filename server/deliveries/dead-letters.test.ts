import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  DeadLetterPage,
  DeliveryDetail,
  type DeliveryPage,
  type Redriven,
} from '#contract/deliveries/deliveries.ts';
import type { LogEntryPage } from '#contract/deliveries/event-log.ts';
import { forgetOld } from '#server/queue/postgres/store.ts';
import { brokenJob, outcomesOf, startDeliveryReader } from '#test/support/data/reading/delivery-reader.ts';
import { pullRequestPayload } from '#test/support/data/forge-events.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { Compile } from 'typebox/compile';
import { dayMs } from '#platform/runtime/time-units.ts';

const { program, integration, browser, url, read, post, settled, verdictOf } = await startDeliveryReader();
const { database } = program;
test('dead letters are in the event log, and those of the integration are listed, retried and dropped', async () => {
  await post('workflow_job', brokenJob, 'broken');
  await waitUntil('the alarm', async () => {
    const log = await read<LogEntryPage>('event-log?type=dead_letters');
    return log.items.length > 0;
  });
  const deadLetters = async () => (await read<DeadLetterPage>('dead-letters')).items;
  const [deadLetter] = await deadLetters();
  assert.ok(Compile(DeadLetterPage).Check(await read('dead-letters')));
  assert.equal(deadLetter?.reason, 'invalid_payload');
  assert.deepEqual(
    [deadLetter.event, deadLetter.repository, deadLetter.forgeDeliveryId],
    ['workflow_job', 'acme/site', 'broken'],
  );
  const only = async (messageId: string) =>
    (await read<DeadLetterPage>(`dead-letters?messageId=${messageId}`)).items;
  assert.deepEqual(await only(deadLetter.messageId), [deadLetter]);
  assert.deepEqual([await only('1'), await only('x')], [[], []]);
  const redrive = await browser.fetch(url('dead-letters/redrive'), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ messageIds: [deadLetter.messageId, 'x'] }),
  });
  assert.equal(((await redrive.json()) as Redriven).redriven, 1);
  const again = await waitUntil('it died again', async () => {
    const [next] = await deadLetters();
    return next !== undefined && next.messageId !== deadLetter.messageId && next;
  });
  const foreign = await program.createIntegration('Theirs');
  const drop = (integrationId: string) =>
    browser.fetch(url(`dead-letters/${again.messageId}`, integrationId), { method: 'DELETE' });
  const theirs = await browser.fetch(url('dead-letters', foreign.integrationId));
  assert.deepEqual(((await theirs.json()) as DeadLetterPage).items, []);
  assert.equal((await drop(foreign.integrationId)).status, 404);
  assert.equal((await drop(integration.integrationId)).status, 204);
  assert.deepEqual(await deadLetters(), []);

  const { items } = await read<DeliveryPage>('deliveries?q=broken');
  assert.deepEqual(
    items.map(({ deliveryId, verdict, reason }) => [deliveryId, verdict, reason]),
    [
      [again.messageId, 'dropped', 'invalid_payload'],
      [deadLetter.messageId, 'redriven', 'invalid_payload'],
    ],
  );
  assert.deepEqual((await read<DeliveryPage>('deliveries?verdict=redriven,dropped,dead')).items, items);
  const [dropped, redriven] = await Promise.all(
    items.map(({ deliveryId }) => read<DeliveryDetail>(`deliveries/${deliveryId}`)),
  );
  assert.ok(Compile(DeliveryDetail).Check(redriven) && Compile(DeliveryDetail).Check(dropped));
  assert.deepEqual(
    [outcomesOf(redriven, 6), outcomesOf(dropped, 6)],
    [
      ['dead failed', 'redriven failed'],
      ['dead failed', 'dropped done'],
    ],
  );
  assert.match(redriven.steps[6]?.detail ?? '', /invalid_payload/);
  assert.match(redriven.steps[7]?.detail ?? '', new RegExp(`delivery ${again.messageId} .* is dropped`));
});

test('a dead delivery that was redriven shows that it was stored then, and keeps its reason when it is forgotten', async () => {
  const item = await post('pull_request', pullRequestPayload({ number: 77 }), 'repaired');
  // The state after the bug that caused the failure is fixed.
  const dies = (id: string, forgeId: string) =>
    database.asOwner(
      `with dead as (
         update queue_message set is_dead = true where seq = $1 returning *)
       insert into dead_letter
         (message_id, group_id, deduplication_id, sent_at, dead_at, reason, body, body_start, body_length)
       select d.seq, $2, $3, d.accepted_at, now() - interval '15 days', 'refused_by_store', s.body, d.body_start, d.body_length
       from dead d join queue_segment s using (segment_id)`,
      [id, integration.integrationId, forgeId],
    );
  await dies(item.deliveryId, 'repaired');
  assert.equal((await verdictOf('repaired'))?.verdict, 'dead');
  await browser.fetch(url('dead-letters/redrive'), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  const later = await settled('repaired');
  assert.deepEqual([later.verdict, later.reason], ['stale', 'same_event']);
  const { verdict, reason, steps } = await read<DeliveryDetail>(`deliveries/${item.deliveryId}`);
  assert.deepEqual([verdict, reason], ['redriven', 'refused_by_store']);
  assert.deepEqual([steps.at(-1)?.step, steps.at(-1)?.outcome], ['redriven', 'done']);

  await dies(later.deliveryId, 'repaired');
  await database.worker.withScope('service', (tx) => forgetOld(tx, 14 * dayMs, 16 * dayMs, 100));
  const forgotten = await read<DeliveryDetail>(`deliveries/${later.deliveryId}`);
  assert.deepEqual([forgotten.verdict, forgotten.reason], ['dead', 'refused_by_store']);
});

test('dead letters come in pages, and a retry includes those of the integration only', async () => {
  await post('workflow_job', brokenJob, 'first');
  await post('workflow_job', brokenJob, 'second');
  const foreign = await program.createIntegration('Also theirs');
  await postWebhook(program.baseUrl, foreign, { event: 'workflow_job', payload: brokenJob });
  const theirIds = async () => {
    const answer = await browser.fetch(url('dead-letters', foreign.integrationId));
    return ((await answer.json()) as DeadLetterPage).items.map(({ messageId }) => messageId);
  };
  const [theirs] = await waitUntil('theirs', async () => {
    const ids = await theirIds();
    return ids.length === 1 && ids;
  });

  const page = await read<DeadLetterPage>('dead-letters?limit=1');
  const rest = await read<DeadLetterPage>(`dead-letters?limit=1&cursor=${page.nextCursor}`);
  const ids = [page, rest].flatMap(({ items }) => items.map(({ forgeDeliveryId }) => forgeDeliveryId));
  assert.deepEqual([ids, rest.nextCursor], [['first', 'second'], null]);

  for (const [body, count] of [
    [{ messageIds: [theirs] }, 0],
    [{}, 2],
  ] as const) {
    const answer = await browser.fetch(url('dead-letters/redrive'), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    assert.deepEqual(await answer.json(), { redriven: count });
    assert.deepEqual(await theirIds(), [theirs]);
  }
});
