import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { DeliveryPage } from '#contract/deliveries/deliveries.ts';
import { createIntegration } from '#server/integrations/create-integration.ts';
import { postOneOfEach, startDeliveryReader } from '#test/support/data/reading/delivery-reader.ts';
import { assertProblem } from '#test/support/identity/owner-client.ts';
import { Compile } from 'typebox/compile';
import { idsEqualTo } from './delivery-ids.ts';
import { findDeliveries, listStoredDeliveries, readPayloadPart, readStoredDeliveries } from './store.ts';
import { addPerson } from '#test/support/team/people.ts';
import { storeLargePayload } from '#server/queue/messages/large-payload.ts';

const reader = await startDeliveryReader();
const { program, browser, integration, url, read } = reader;
const { database, sealer } = program;
const strangerId = await addPerson(database);
const foreign = await createIntegration(
  { db: database.api, sealer },
  { label: 'Theirs', ownerId: strangerId },
);

const page = (query = '') => read<DeliveryPage>(`deliveries${query}`);

before(() => postOneOfEach(reader));

test('deliveries come newest first with what became of them', async () => {
  const { items, nextCursor } = await page();
  assert.ok(Compile(DeliveryPage).Check({ items, nextCursor }));
  assert.deepEqual(
    items.map(({ forgeDeliveryId, event, verdict, reason }) => [forgeDeliveryId, event, verdict, reason]),
    [
      ['broken', 'workflow_job', 'dead', 'invalid_payload'],
      ['pull', 'pull_request', 'stored', null],
      ['run-late', 'workflow_run', 'stale', 'already_completed'],
      ['run-done', 'workflow_run', 'stored', null],
    ],
  );
  assert.deepEqual(
    items.map(({ action, repository, replayed }) => [action, repository, replayed]),
    items.map(() => ['any', 'acme/site', false]),
  );
});

test('pages and filters', async () => {
  const ids = async (query: string) =>
    (await page(query)).items.map(({ forgeDeliveryId }) => forgeDeliveryId);
  const first = await page('?limit=3');
  assert.equal(first.items.length, 3);
  assert.deepEqual(await ids(`?limit=3&cursor=${first.nextCursor}`), ['run-done']);
  assert.deepEqual(await ids('?event=workflow_run'), ['run-late', 'run-done']);
  assert.deepEqual(await ids('?event=workflow_run,pull_request&verdict=stored'), ['pull', 'run-done']);
  assert.deepEqual(await ids('?verdict=dead'), ['broken']);
  assert.deepEqual(await ids('?q=broken'), ['broken']);
  assert.deepEqual(await ids('?q=broken&to=2020-01-01T00:00:00Z'), []);
  assert.deepEqual(await ids('?q=broken&from=2020-01-01T00:00:00Z'), ['broken']);
  const { items, nextCursor } = await page('?q=broken&limit=1');
  assert.equal(items.length, 1);
  assert.deepEqual(await page(`?q=broken&limit=1&cursor=${nextCursor}`), {
    items: [],
    nextCursor: null,
  });
  assert.deepEqual(await ids('?to=2020-01-01T00:00:00Z'), []);
  assert.equal((await ids('?from=2020-01-01T00:00:00Z')).length, 4);
});

test('a route refuses callers without the role, missing objects and invalid input', async () => {
  const [own] = (await page('?limit=1')).items;
  for (const path of ['deliveries', `deliveries/${own?.deliveryId}`, 'dead-letters']) {
    await assertProblem(await fetch(url(path)), 401, 'unauthenticated');
    await assertProblem(await browser.fetch(url(path, foreign.integrationId)), 403, 'insufficient_role');
  }
  for (const id of ['0', 'x', '999999999999999999', '%00'])
    await assertProblem(
      await browser.fetch(url(`deliveries/${id}`)),
      id === '%00' ? 400 : 404,
      id === '%00' ? 'invalid_path' : 'not_found',
    );
  await assertProblem(await browser.fetch(url('deliveries?verdict=good')), 400, 'invalid_request');
  await assertProblem(await browser.fetch(url('deliveries?event=push')), 400, 'invalid_request');
  for (const path of ['deliveries?cursor=x', 'dead-letters?cursor=x'])
    await assertProblem(await browser.fetch(url(path)), 400, 'invalid_request');
});

test('the database shows the api the messages of the scope alone', async () => {
  const [own] = (await page('?verdict=stored&limit=1')).items;
  const payloadId = await storeLargePayload(
    database.api,
    program.sealer,
    integration.integrationId,
    Buffer.from('x'),
  );
  for (const [scope, isShown] of [
    [{ integrationId: integration.integrationId }, true],
    [{ integrationId: foreign.integrationId }, false],
    ['service', false],
  ] as const) {
    await database.api.withScope(scope, async (tx) => {
      assert.equal((await listStoredDeliveries(tx, undefined, {}, 5)).length > 0, isShown);
      assert.equal((await readStoredDeliveries(tx, [own!.deliveryId])).length > 0, isShown);
      assert.equal((await findDeliveries(tx, idsEqualTo(own!.forgeDeliveryId!), 5)).length > 0, isShown);
      assert.equal((await readPayloadPart(tx, payloadId, 0, 5)) !== undefined, isShown);
    });
  }
});

test("another integration's delivery is not found by its number", async () => {
  const [own] = (await page('?limit=1')).items;
  const mine = await program.createIntegration('Second');
  await assertProblem(
    await browser.fetch(url(`deliveries/${own?.deliveryId}`, mine.integrationId)),
    404,
    'not_found',
  );
  const list = await browser.fetch(url('deliveries', mine.integrationId));
  assert.deepEqual(((await list.json()) as DeliveryPage).items, []);
});
