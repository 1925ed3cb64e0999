import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { DeliveryDetail, DeliveryPage, type UnqueuedReason } from '#contract/deliveries/deliveries.ts';
import type { Problem } from '#contract/base/errors.ts';
import { outcomesOf, startDeliveryReader } from '#test/support/data/reading/delivery-reader.ts';
import { pullRequestPayload, runPayload } from '#test/support/data/forge-events.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { Compile } from 'typebox/compile';
import { storedText } from '#test/support/database/rows.ts';

const { program, integration, browser, url, read, post } = await startDeliveryReader(undefined, {
  WEBHOOK_MAX_BYTES: '10000',
});
const page = (query = '') => read<DeliveryPage>(`deliveries${query}`);

const wrong = { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` };
const guids = {
  invalid_signature: '1f5a0c90-8a5e-11f0-9c1f-000000000001',
  payload_too_large: '2f5a0c90-8a5e-11f0-9c1f-000000000002',
  unsupported_event: '3f5a0c90-8a5e-11f0-9c1f-000000000003',
  invalid_json: '4f5a0c90-8a5e-11f0-9c1f-000000000004',
  not_subscribed: '5f5a0c90-8a5e-11f0-9c1f-000000000005',
  ping: '6f5a0c90-8a5e-11f0-9c1f-000000000006',
} as const satisfies Partial<Record<UnqueuedReason, string>>;
type Sent = keyof typeof guids;

async function postEach(): Promise<number[]> {
  const set = await browser.fetch(url('webhook-events'), {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ events: ['workflow_run', 'workflow_job'] }),
  });
  assert.equal(set.status, 200);
  const send = async (reason: Sent, event: string, payload: object | string, headers = {}) =>
    (
      await postWebhook(program.baseUrl, integration, {
        event,
        payload,
        deliveryId: guids[reason],
        headers,
      })
    ).status;
  return [
    await send('invalid_signature', 'workflow_run', runPayload(), wrong),
    await send('payload_too_large', 'workflow_run', { title: 'x'.repeat(10_000) }),
    await send('unsupported_event', 'push', {}),
    await send('invalid_json', 'workflow_run', 'no json'),
    await send('not_subscribed', 'pull_request', pullRequestPayload()),
    await send('ping', 'ping', {}),
  ];
}

test('deliveries that were not queued are listed with time, id, event, address and reason', async () => {
  await post('workflow_run', runPayload(), 'before');
  assert.deepEqual(await postEach(), [401, 413, 400, 400, 200, 200]);
  const listed = await waitUntil('all of them are listed', async () => {
    const answer = await page();
    return answer.items.length === 7 && answer;
  });
  assert.ok(Compile(DeliveryPage).Check(listed));
  const byReason = new Map(listed.items.map((item) => [item.reason, item]));
  const facts = (Object.keys(guids) as Sent[]).map((reason) => {
    const { forgeDeliveryId, event, verdict, address, receivedAt } = byReason.get(reason)!;
    assert.ok(Math.abs(Date.now() - Date.parse(receivedAt)) < 60_000);
    assert.equal(address, '127.0.0.1');
    return [forgeDeliveryId, event, verdict];
  });
  assert.deepEqual(facts, [
    [guids.invalid_signature, 'workflow_run', 'refused'],
    [guids.payload_too_large, 'workflow_run', 'refused'],
    [guids.unsupported_event, 'push', 'refused'],
    [guids.invalid_json, 'workflow_run', 'refused'],
    [guids.not_subscribed, 'pull_request', 'ignored'],
    [guids.ping, 'ping', 'ignored'],
  ]);
  assert.equal(byReason.get(null)?.forgeDeliveryId, 'before');

  const first = await page('?limit=4');
  const rest = await page(`?limit=4&cursor=${first.nextCursor}`);
  assert.deepEqual([...first.items, ...rest.items], listed.items, 'pages hold each delivery once');
  assert.deepEqual((await page('?verdict=ignored')).items.length, 2);
  assert.deepEqual((await page('?verdict=refused&event=workflow_run')).items.length, 3);
  assert.deepEqual((await page('?verdict=stored')).items.length, 1);
  assert.deepEqual((await page('?to=2020-01-01T00:00:00Z')).items, []);
});

test('a delivery is found by the beginning of its forge id, and opened by that id', async () => {
  await post('workflow_run', runPayload({ id: 7 }), guids.invalid_signature);
  const found = async (q: string) => (await page(`?q=${q}`)).items.map(({ verdict }) => verdict);
  await waitUntil('both are there', async () => (await found('1f5a0c90')).length === 2);
  assert.deepEqual(
    await found('1f5a0c90'),
    ['stored', 'refused'],
    'the redelivery and the refusal before it',
  );
  assert.deepEqual(await found(guids.ping), ['ignored']);
  assert.deepEqual(await found('f5a0c90'), []);
  const opened = await read<DeliveryDetail>(`deliveries/${guids.invalid_signature}`);
  assert.equal(opened.verdict, 'stored');
  assert.deepEqual(await found(opened.deliveryId), ['stored']);

  const refused = await read<DeliveryDetail>(`deliveries/${guids.invalid_json}`);
  assert.ok(Compile(DeliveryDetail).Check(refused));
  assert.deepEqual(outcomesOf(refused), ['received done', 'verified done', 'queued failed']);
  assert.deepEqual([refused.body, refused.size, refused.headers], [null, null, []]);
  const ours = await read<DeliveryDetail>(`deliveries/${refused.deliveryId}`);
  assert.deepEqual(ours, refused);
  const ignored = await read<DeliveryDetail>(`deliveries/${guids.not_subscribed}`);
  assert.deepEqual(outcomesOf(ignored, 2), ['queued skipped']);
  const tooLarge = await read<DeliveryDetail>(`deliveries/${guids.payload_too_large}`);
  assert.deepEqual(outcomesOf(tooLarge), ['received done', 'verified failed']);

  for (const path of [`deliveries/${guids.invalid_json}/body`, `deliveries/${randomUUID()}`]) {
    const answer = await browser.fetch(url(path));
    assert.deepEqual([answer.status, ((await answer.json()) as Problem).code], [404, 'not_found'], path);
  }
  const replay = await browser.fetch(url(`deliveries/${guids.ping}/replay`), { method: 'POST' });
  assert.equal(replay.status, 404);
});

test('deliveries that were not queued stay hidden from other integrations, in list, search and by id', async () => {
  const { integrationId } = await program.createIntegration('Second');
  for (const query of ['', '?q=1f5a0c90', '?verdict=refused']) {
    const answer = await browser.fetch(url(`deliveries${query}`, integrationId));
    assert.deepEqual(((await answer.json()) as DeliveryPage).items, []);
  }
  const [own] = (await page('?verdict=refused')).items;
  for (const id of [own?.deliveryId, own?.forgeDeliveryId])
    assert.equal((await browser.fetch(url(`deliveries/${id}`, integrationId))).status, 404);
});

test('unverified names are stored short and in visible characters, and the body is not stored', async () => {
  const mine = await program.createIntegration('Third');
  const send = (event: string | undefined, deliveryId: string) =>
    postWebhook(program.baseUrl, mine, {
      event: 'push',
      payload: 'secret-of-a-stranger',
      headers: { ...wrong, 'x-github-event': event, 'x-github-delivery': deliveryId },
    });
  for (const [event, id] of [
    ['e'.repeat(5000), 'd'.repeat(5000)],
    ['\u00e9v\u00e9nement', 'two words'],
    [undefined, 'fine'],
  ] as const)
    assert.equal((await send(event, id)).status, 401);
  const items = await waitUntil('they are listed', async () => {
    const answer = await browser.fetch(url('deliveries', mine.integrationId));
    const found = ((await answer.json()) as DeliveryPage).items;
    return found.length === 3 && found;
  });
  for (const { event, forgeDeliveryId } of items)
    assert.deepEqual([event, forgeDeliveryId], ['unknown', null]);
  const stored = await storedText(program.database, 'unqueued_deliveries');
  assert.doesNotMatch(stored, /secret-of-a-stranger|eeeee|ddddd/);
});
