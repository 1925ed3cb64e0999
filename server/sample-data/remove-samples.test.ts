import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SampleData } from '#contract/integrations/integrations.ts';
import type { SimulatedEvent } from '#server/simulate/event.ts';
import { postEvents } from '#server/simulate/post/post-events.ts';
import { sampleEvents } from '#server/simulate/sample-traffic.ts';
import { createSimulator } from '#server/simulate/simulator.ts';
import { ruleBody } from '#test/support/alerts/rule-body.ts';
import { testMasterKey } from '#test/support/database/test-database.ts';
import { signInAsOwner } from '#test/support/identity/owner-client.ts';
import { settled } from '#test/support/product/settled.ts';
import { startTestProgram } from '#test/support/product/test-program.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { beginSamples } from './begin-samples.ts';
import { makeSampleProofs } from './sample-delivery.ts';
import { countRows } from '#test/support/database/rows.ts';
import { comparable, entriesOf } from '#test/support/product/comparable-answers.ts';

const program = await startTestProgram({ API_REQUESTS_PER_MINUTE: '1000000' });
const { database, publicUrl } = program;
const { call, read } = await signInAsOwner(publicUrl);
const { proofOf } = makeSampleProofs([testMasterKey]);

type Created = Awaited<ReturnType<typeof program.createIntegration>>;

async function post(integration: Created, events: Iterable<SimulatedEvent>, generation?: number) {
  const { integrationId, webhookSecret: secret } = integration;
  const mark = generation === undefined ? undefined : { integrationId, generation, proofOf };
  return postEvents({ baseUrl: publicUrl, integrationId, secret, events, mark, concurrency: 1 });
}

interface Deliveries {
  items: { deliveryId: string; forgeDeliveryId: string; verdict: string }[];
}

interface Runs {
  items: { repository: string }[];
}

async function settle(...integrations: Created[]): Promise<void> {
  for (const { integrationId } of integrations) await settled(database, read, integrationId);
}

async function remove({ integrationId }: Created): Promise<void> {
  const answer = await call('DELETE', integrationId, '/sample-data');
  assert.equal(answer.status, 202, await answer.text());
  await waitUntil('the sample data to be removed', async () => {
    const { state } = await read<SampleData>(integrationId, '/sample-data');
    return state === 'none';
  });
}

/** As a forge sends them: the stories of a team, beside which sample data is sent. */
function realEvents(now: number): SimulatedEvent[] {
  const simulator = createSimulator({ seed: 'real', startAt: new Date(now) });
  const names = ['pullRequest', 'recovery', 'deployment', 'brokenBranch'] as const;
  return names
    .flatMap((name, index) => simulator.story(name, now - (80 - index * 15) * 60_000))
    .toSorted((one, other) => one.at - other.at);
}

/** A chunk ends when a run or job completes. */
function chunksOf(events: readonly SimulatedEvent[]): SimulatedEvent[][] {
  const chunks: SimulatedEvent[][] = [[]];
  for (const event of events) {
    chunks.at(-1)?.push(event);
    if (event.eventType.startsWith('workflow') && event.payload.action === 'completed') chunks.push([]);
  }
  return chunks;
}

/**
 * Every list and figure of an integration, comparable with that of another one. What was received today counts towards quotas in any
 * case. Without the tasks, for which `settle` waits.
 */
async function everything({ integrationId }: Created, now: number): Promise<Record<string, unknown>> {
  const prefix = '/api/integrations/:integrationId';
  const lists = program.program.routes
    .filter(({ method, path }) => method === 'GET' && path.startsWith(`${prefix}/`))
    .map(({ path }) => path.slice(prefix.length))
    .filter(
      (path) =>
        !path.includes(':') && !/forge-|members|webhook|mcp|invitations|tokens|usage|tasks/.test(path),
    );
  const filtered = [
    '/workflows?limit=100',
    '/workflows/facets?conclusion=failure',
    '/metrics?groupBy=workflow',
    '/metrics?groupBy=runner',
    '/metrics?groupBy=repository&granularity=hour',
    '/metrics?groupBy=branch',
    '/metrics?groupBy=job',
    '/pull-requests?state=all',
    '/incidents?status=open',
  ];
  const answers: Record<string, unknown> = {};
  for (const path of [...lists, ...filtered]) {
    const answer = await call('GET', integrationId, path);
    const text = await answer.text();
    answers[path] = [answer.status, path === '/event-log' ? entriesOf(text) : comparable(text, now)];
  }
  return answers;
}

async function makeWatched(): Promise<Created> {
  const created = await program.createIntegration();
  const rule = await call('POST', created.integrationId, '/notification-rules', ruleBody());
  assert.equal(rule.status, 201, await rule.text());
  return created;
}

test('after the removal all lists and figures are those of an integration that never had sample data', async () => {
  const now = Date.now();
  const [mixed, real] = [await makeWatched(), await makeWatched()];
  const generation = await beginSamples(database.api, mixed.integrationId);
  const [samples, chunks] = [sampleEvents(now), chunksOf(realEvents(now))];
  const share = Math.ceil(samples.length / chunks.length);
  for (const [index, chunk] of chunks.entries()) {
    const beside = samples.slice(index * share, (index + 1) * share);
    await Promise.all([post(mixed, beside, generation), post(mixed, chunk), post(real, chunk)]);
    // What a failed job says of its run depends on the attempt that has begun when its reason is stored.
    await settle(mixed, real);
  }
  const before = await everything(mixed, now);
  await remove(mixed);
  const [left, expected] = [await everything(mixed, now), await everything(real, now)];
  for (const [path, answer] of Object.entries(expected)) assert.deepEqual(left[path], answer, path);
  assert.deepEqual(Object.keys(left), Object.keys(expected));
  const changed = Object.keys(before).filter(
    (path) => JSON.stringify(before[path]) !== JSON.stringify(left[path]),
  );
  for (const path of ['/workflows', '/overview', '/metrics', '/failure-groups', '/incidents', '/event-log'])
    assert.ok(changed.includes(path), `${path} had sample data`);
  const { items } = await read<Deliveries>(mixed.integrationId, '/deliveries?limit=100');
  assert.ok(items.length > 50);
  for (const { deliveryId } of items)
    assert.ok((await read<object>(mixed.integrationId, `/deliveries/${deliveryId}/body`)) instanceof Object);
});

test('sample traffic is removed while it is sent, with its connection and replays, and can be sent again', async () => {
  const [used, unused] = [await program.createIntegration(), await program.createIntegration()];
  const { integrationId } = used;
  const hasRuns = async () => (await read<Runs>(integrationId, '/workflows')).items.length > 0;
  assert.equal((await call('POST', integrationId, '/sample-traffic')).status, 202);
  await waitUntil('runs', hasRuns);
  const tests = async () => (await read<{ items: object[] }>(integrationId, '/tests?state=new')).items;
  await waitUntil('tests', async () => (await tests()).length > 0);
  assert.deepEqual(await read(integrationId, '/sample-data'), { state: 'present' });
  const { items } = await read<Deliveries>(integrationId, '/deliveries');
  const replay = await call('POST', integrationId, `/deliveries/${items[0]?.deliveryId}/replay`);
  assert.equal(replay.status, 202, await replay.text());
  await remove(used);
  await remove(used);
  await settle(used);
  const [left, expected] = [await everything(used, 0), await everything(unused, 0)];
  const log = (left['/event-log'] as [number, string[]])[1];
  assert.ok(
    log.every((entry) => /^(?:forge_connection|integration.created|deliveries.replayed)/.test(entry)),
    log.join('\n'),
  );
  assert.deepEqual({ ...left, '/event-log': [] }, { ...expected, '/event-log': [] });
  assert.deepEqual(await read(integrationId, '/forge-connection'), { connection: null });
  for (const table of ['tests', 'test_days', 'test_day_blocks', 'test_failures', 'test_reports'])
    assert.equal(await countRows(database, table, { integration_id: integrationId }), 0, table);
  const again = await waitUntil('the sender to be free', async () => {
    const { status } = await call('POST', integrationId, '/sample-traffic');
    return status === 202;
  });
  assert.ok(again);
  await waitUntil('runs', hasRuns);
  await remove(used);
});

test('the event log says once who removed sample data', async () => {
  const created = await program.createIntegration();
  await beginSamples(database.api, created.integrationId);
  for (let times = 0; times < 2; times += 1) await remove(created);
  const { items } = await read<{ items: { type: string; actor: { name: string } | null }[] }>(
    created.integrationId,
    '/event-log',
  );
  const entries = items.filter(({ type }) => type === 'integration.sample_data_removed');
  assert.equal(entries.length, 1);
  assert.ok(entries[0]?.actor !== null);
});

test('deliveries that are sent after the removal are refused', async () => {
  const created = await program.createIntegration();
  const generation = await beginSamples(database.api, created.integrationId);
  const [first, ...later] = sampleEvents(Date.now());
  assert.equal((await post(created, [first!], generation)).accepted, 1);
  await remove(created);
  const { accepted, byStatus } = await post(created, later.slice(0, 3), generation);
  assert.deepEqual([accepted, byStatus], [0, { 409: 3 }]);
  assert.equal(await beginSamples(database.api, created.integrationId), generation + 1);
});

test('a sender without the encryption key cannot mark deliveries as sample data, nor use its repositories', async () => {
  const created = await program.createIntegration();
  const { integrationId, webhookSecret: secret } = created;
  const generation = await beginSamples(database.api, integrationId);
  const other = await program.createIntegration();
  const events = sampleEvents(Date.now()).slice(0, 3);
  const foreign = makeSampleProofs([Buffer.alloc(32, 1)]).proofOf;
  const marks = [
    { integrationId, generation, proofOf: foreign },
    { integrationId: other.integrationId, generation, proofOf },
    { integrationId, generation, proofOf: () => '' },
  ];
  for (const mark of marks) {
    const { byProblem } = await postEvents({ baseUrl: publicUrl, integrationId, secret, events, mark });
    assert.deepEqual(byProblem, { invalid_signature: 3 });
  }
  assert.equal((await post(created, events)).accepted, 3);
  const { items } = await waitUntil('dead letters', async () => {
    const deadLetters = await read<{ items: { reason: string; detail: string }[] }>(
      integrationId,
      '/dead-letters',
    );
    return deadLetters.items.length === 3 && deadLetters;
  });
  for (const { reason, detail } of items)
    assert.deepEqual(
      [reason, detail],
      ['invalid_payload', 'repository.full_name is reserved for sample data'],
    );
  assert.deepEqual((await read<Runs>(integrationId, '/workflows')).items, []);
});
