import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import {
  DeadLetterPage,
  DeliveryDetail,
  DeliveryPage,
  type Delivery,
  type Redriven,
  type Replayed,
} from '#contract/deliveries.ts';
import type { Problem } from '#contract/errors.ts';
import type { LogEntryPage } from '#contract/event-log.ts';
import { createIntegration } from '#server/integrations/create-integration.ts';
import { at, jobPayload, pullRequestPayload, runPayload } from '#test/support/forge-events.ts';
import { postWebhook } from '#test/support/post-webhook.ts';
import { signInAsDemo } from '#test/support/demo-sign-in.ts';
import { startTestProgram } from '#test/support/test-program.ts';
import { waitUntil } from '#test/support/wait-until.ts';
import { Compile } from 'typebox/compile';
import { forgetOld } from '#server/queue/postgres/store.ts';
import { findDeliveries, listStoredDeliveries, readStoredDeliveries, readStoredPayload } from './store.ts';

const program = await startTestProgram();
const { database, sealer, baseUrl, publicUrl } = program;
const browser = await signInAsDemo(publicUrl);
const integration = await program.createIntegration();
const { integrationId } = integration;
const [stranger] = await database.asOwner<{ user_id: string }>(
  `insert into users (cognito_id) values ('stranger') returning user_id`,
);
const foreign = await createIntegration(
  { db: database.api, sealer },
  { label: 'Theirs', ownerId: stranger!.user_id },
);

const dayMs = 86_400_000;
const url = (path: string, id = integrationId) => `${publicUrl}/api/integrations/${id}/${path}`;

async function read<T>(path: string): Promise<T> {
  const answer = await browser.fetch(url(path));
  assert.equal(answer.status, 200, await answer.clone().text());
  return (await answer.json()) as T;
}

const page = (query = '') => read<DeliveryPage>(`deliveries${query}`);

async function verdictOf(forgeDeliveryId: string): Promise<Delivery | undefined> {
  return (await page(`?forgeDeliveryId=${forgeDeliveryId}`)).items[0];
}

async function post(event: string, payload: object, deliveryId: string): Promise<Delivery> {
  const answer = await postWebhook(baseUrl, integration, { event, payload, deliveryId });
  assert.equal(answer.status, 200);
  return settled(deliveryId);
}

function settled(deliveryId: string): Promise<Delivery> {
  return waitUntil(`${deliveryId} is settled`, async () => {
    const item = await verdictOf(deliveryId);
    return item !== undefined && item.verdict !== 'waiting' && item.verdict !== 'processing' && item;
  });
}

before(async () => {
  const done = { status: 'completed', conclusion: 'success', updated_at: at(60) };
  await post('workflow_run', runPayload({ ...done, display_title: 'Secret plan' }), 'run-done');
  await post('workflow_run', runPayload({ status: 'in_progress', updated_at: at(30) }), 'run-late');
  await post('pull_request', pullRequestPayload(), 'pull');
  await post('workflow_job', { ...jobPayload(), workflow_job: { id: 'x' } }, 'broken');
  await waitUntil('the alarm told of the dead letter', async () => {
    const log = await read<LogEntryPage>('event-log?type=dead_letters');
    return log.items.length > 0;
  });
});

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
  assert.deepEqual(await ids('?forgeDeliveryId=broken'), ['broken']);
  assert.deepEqual(await ids('?to=2020-01-01T00:00:00Z'), []);
  assert.equal((await ids('?from=2020-01-01T00:00:00Z')).length, 4);
});

test('a delivery shows headers, body and its way step by step', async () => {
  const detail = async (id: string) => {
    const answer = await read<DeliveryDetail>(`deliveries/${(await verdictOf(id))?.deliveryId}`);
    assert.ok(Compile(DeliveryDetail).Check(answer), id);
    return answer;
  };
  const outcomes = ({ steps }: DeliveryDetail) => steps.map(({ step, outcome }) => `${step} ${outcome}`);
  const run = await detail('run-done');
  assert.deepEqual(outcomes(run), [
    'received done',
    'verified done',
    'queued done',
    'stored done',
    'pushed done',
    'alerted unknown',
  ]);
  assert.match(run.body ?? '', /"display_title": "Secret plan"/);
  assert.equal(run.truncated, false);
  const headers = Object.fromEntries(run.headers.map(({ name, value }) => [name, value]));
  assert.equal(headers['x-github-event'], 'workflow_run');
  assert.equal(headers['content-type'], 'application/json');
  assert.ok(!Object.keys(headers).some((name) => name.includes('signature')));

  const late = await detail('run-late');
  assert.deepEqual(outcomes(late).slice(3), ['stored skipped', 'pushed skipped', 'alerted skipped']);
  assert.match(late.steps[3]?.detail ?? '', /completed/);
  const dead = await detail('broken');
  assert.deepEqual(outcomes(dead).slice(3), [
    'stored failed',
    'pushed skipped',
    'alerted skipped',
    'dead failed',
  ]);
  assert.match(dead.steps.at(-1)?.detail ?? '', /invalid_payload/);
  assert.deepEqual(outcomes(await detail('pull')).slice(3), [
    'stored done',
    'pushed skipped',
    'alerted skipped',
  ]);
});

test('a late event of an earlier attempt is told as what it changed', async () => {
  const run = { id: 444, status: 'completed', conclusion: 'failure' };
  await post('workflow_run', runPayload({ ...run, run_attempt: 2 }), 'attempt-2');
  const item = await post('workflow_run', runPayload(run), 'attempt-1');
  assert.deepEqual([item.verdict, item.reason], ['stale', 'earlier_attempt_updated']);
  const { steps } = await read<DeliveryDetail>(`deliveries/${item.deliveryId}`);
  assert.deepEqual(
    steps.slice(3).map(({ step, outcome }) => `${step} ${outcome}`),
    ['stored done', 'pushed skipped', 'alerted skipped'],
  );
  assert.match(steps[3]?.detail ?? '', /earlier attempt was updated/);
});

test('a replay goes through the queue again, past the deduplication, and is stale by itself', async () => {
  const run = await verdictOf('run-done');
  const answer = await browser.fetch(url(`deliveries/${run?.deliveryId}/replay`), { method: 'POST' });
  assert.equal(answer.status, 202);
  const { forgeDeliveryId } = (await answer.json()) as Replayed;
  const again = await settled(forgeDeliveryId);
  assert.deepEqual([again.verdict, again.reason, again.replayed], ['stale', 'same_event', true]);
  assert.equal(again.receivedAt, run?.receivedAt);
  const log = await read<LogEntryPage>('event-log?type=deliveries');
  assert.deepEqual(
    log.items.map(({ type }) => type),
    ['deliveries.replayed'],
  );
});

test('a payload that lay apart is shown, and replayed, from where it is kept', async () => {
  const long = runPayload({ id: 555, display_title: 'x'.repeat(1_200_000) });
  const item = await post('workflow_run', long, 'large');
  assert.deepEqual([item.action, item.repository], ['any', 'acme/site']);
  const detail = await read<DeliveryDetail>(`deliveries/${item.deliveryId}`);
  assert.equal(detail.action, 'any');
  assert.ok((detail.body?.length ?? 0) > 1_200_000);
  await database.asOwner('delete from large_payload');
  const answer = await browser.fetch(url(`deliveries/${item.deliveryId}/replay`), { method: 'POST' });
  assert.equal(answer.status, 409);
  const gone = await read<DeliveryDetail>(`deliveries/${item.deliveryId}`);
  assert.deepEqual([gone.action, gone.body], ['any', null]);
});

test('dead letters are listed, redriven and dropped, those of the integration alone', async () => {
  const letters = async () => (await read<DeadLetterPage>('dead-letters')).items;
  const [letter] = await letters();
  assert.ok(Compile(DeadLetterPage).Check(await read('dead-letters')));
  assert.equal(letter?.reason, 'invalid_payload');
  const redrive = await browser.fetch(url('dead-letters/redrive'), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ messageIds: [letter.messageId, 'x'] }),
  });
  assert.equal(((await redrive.json()) as Redriven).redriven, 1);
  const again = await waitUntil('it died again', async () => {
    const [next] = await letters();
    return next !== undefined && next.messageId !== letter.messageId && next;
  });
  await database.asOwner('update dead_letter set group_id = $1', [foreign.integrationId]);
  const drop = () => browser.fetch(url(`dead-letters/${again.messageId}`), { method: 'DELETE' });
  assert.deepEqual(await letters(), []);
  assert.equal((await drop()).status, 404);
  await database.asOwner('update dead_letter set group_id = $1', [integrationId]);
  assert.equal((await drop()).status, 204);
  assert.deepEqual(await letters(), []);

  const { items } = await page('?forgeDeliveryId=broken');
  assert.deepEqual(
    items.map(({ deliveryId, verdict, reason }) => [deliveryId, verdict, reason]),
    [
      [again.messageId, 'dropped', 'invalid_payload'],
      [letter.messageId, 'redriven', 'invalid_payload'],
    ],
  );
  assert.deepEqual((await page('?verdict=redriven,dropped,dead')).items, items);
  const [dropped, redriven] = await Promise.all(
    items.map(({ deliveryId }) => read<DeliveryDetail>(`deliveries/${deliveryId}`)),
  );
  assert.ok(Compile(DeliveryDetail).Check(redriven) && Compile(DeliveryDetail).Check(dropped));
  assert.deepEqual(
    [redriven, dropped].map(({ steps }) => steps.slice(6).map(({ step, outcome }) => `${step} ${outcome}`)),
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
  // As it stands when the fault of ours that refused it is mended.
  const dies = (id: string, forgeId: string) =>
    database.asOwner(
      `with dead as (
         update queue_message set is_dead = true where seq = $1 returning seq, accepted_at, deduplication_id, body)
       insert into dead_letter (message_id, group_id, deduplication_id, sent_at, dead_at, reason, body)
       select seq, $2, $3, accepted_at, now() - interval '15 days', 'refused_by_store', body from dead`,
      [id, integrationId, forgeId],
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

async function refused(answer: Response, status: number, code: string): Promise<void> {
  const problem = (await answer.json()) as Problem;
  assert.deepEqual([answer.status, problem.code], [status, code]);
}

test('who may not, what is not there and what is not valid is refused', async () => {
  const [own] = (await page('?limit=1')).items;
  for (const path of ['deliveries', `deliveries/${own?.deliveryId}`, 'dead-letters']) {
    await refused(await fetch(url(path)), 401, 'unauthenticated');
    await refused(await browser.fetch(url(path, foreign.integrationId)), 403, 'insufficient_role');
  }
  for (const id of ['0', 'x', '999999999999999999', '%00'])
    await refused(
      await browser.fetch(url(`deliveries/${id}`)),
      id === '%00' ? 400 : 404,
      id === '%00' ? 'invalid_path' : 'not_found',
    );
  await refused(await browser.fetch(url('deliveries?verdict=good')), 400, 'invalid_request');
  await refused(await browser.fetch(url('deliveries?event=ping')), 400, 'invalid_request');
  await refused(await browser.fetch(url('deliveries?cursor=x')), 400, 'invalid_request');
});

test('the database shows the api the messages of the scope alone', async () => {
  const [own] = (await page('?verdict=stored&limit=1')).items;
  const [payload] = await database.asOwner<{ id: string }>(
    `insert into large_payload (group_id, body) values ($1, 'x') returning payload_id as id`,
    [integrationId],
  );
  for (const [scope, isShown] of [
    [{ integrationId }, true],
    [{ integrationId: foreign.integrationId }, false],
    ['service', false],
  ] as const) {
    await database.api.withScope(scope, async (tx) => {
      assert.equal((await listStoredDeliveries(tx, undefined, {}, 5)).length > 0, isShown);
      assert.equal((await readStoredDeliveries(tx, [own!.deliveryId])).length > 0, isShown);
      assert.equal((await findDeliveries(tx, own!.forgeDeliveryId, 5)).length > 0, isShown);
      assert.equal((await readStoredPayload(tx, payload!.id)) !== undefined, isShown);
    });
  }
});

test("another integration's delivery is not there, whoever asks by number", async () => {
  const [own] = (await page('?limit=1')).items;
  const mine = await program.createIntegration('Second');
  await refused(
    await browser.fetch(url(`deliveries/${own?.deliveryId}`, mine.integrationId)),
    404,
    'not_found',
  );
  const list = await browser.fetch(url('deliveries', mine.integrationId));
  assert.deepEqual(((await list.json()) as DeliveryPage).items, []);
});
