import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import pino from 'pino';
import { queuedEvents } from '#contract/integrations/integrations.ts';
import { createSimulator } from '#server/simulate/simulator.ts';
import { makePostgresQueue } from '#server/queue/postgres/engine.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { signInAsOwner } from '#test/support/identity/owner-client.ts';
import { startTestProgram } from '#test/support/product/test-program.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const { baseUrl, publicUrl, database, sealer, createIntegration, logged } = await startTestProgram();
const owner = await signInAsOwner(publicUrl);
const queue = makePostgresQueue({
  db: database.api,
  sealer,
  log: pino({ level: 'silent' }),
  visibilityTimeoutMs: 45_000,
  retentionDays: 90,
});

const run = {
  id: 4711,
  run_attempt: 1,
  run_number: 1,
  name: 'CI',
  status: 'queued',
  conclusion: null,
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
  head_branch: 'main',
  head_sha: 'a'.repeat(40),
};
const repository = { id: 1, full_name: 'acme/app', default_branch: 'main' };
const good = { action: 'requested', workflow_run: run, workflow: { id: 1, name: 'CI' }, repository };

/** Payloads a sender could sign: each name says what is wrong with it. */
const payloads: Record<string, string> = {
  'no object': '[1,2,3]',
  null: 'null',
  text: '"text"',
  'empty object': '{}',
  'run is a text': JSON.stringify({ ...good, workflow_run: 'x' }),
  'id is a text': JSON.stringify({ ...good, workflow_run: { ...run, id: 'x' } }),
  'id is negative': JSON.stringify({ ...good, workflow_run: { ...run, id: -1 } }),
  'id beyond every number': JSON.stringify(good).replace('4711', '1e400'),
  'id beyond exact numbers': JSON.stringify(good).replace('4711', '12345678901234567890'),
  'attempt beyond integers': JSON.stringify({ ...good, workflow_run: { ...run, run_attempt: 1e12 } }),
  'no times': JSON.stringify({
    ...good,
    workflow_run: { ...run, created_at: 'yesterday', updated_at: null },
  }),
  'year 99999': JSON.stringify({
    ...good,
    workflow_run: { ...run, id: 2, updated_at: '+099999-01-01T00:00:00Z' },
  }),
  'NUL characters': JSON.stringify({
    ...good,
    workflow_run: { ...run, id: 3, name: 'a\0b', display_title: '\0', head_branch: '\0' },
  }),
  'lone surrogates': JSON.stringify({
    ...good,
    workflow_run: { ...run, id: 4, display_title: '\ud800x\udc00' },
  }),
  'texts of a mebibyte': JSON.stringify({
    ...good,
    workflow_run: { ...run, id: 5, head_branch: 'b'.repeat(2 ** 20), display_title: 't'.repeat(2 ** 20) },
  }),
  'nested a hundred thousand deep': `{"action":"requested","workflow_run":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
  'deep in a field nobody reads': JSON.stringify(good)
    .replace('"action"', `"extra":${'{"a":'.repeat(5000)}1${'}'.repeat(5000)},"action"`)
    .replace('4711', '6'),
  'a __proto__ key': JSON.stringify(good)
    .replace('"action"', '"__proto__":{"polluted":true},"action"')
    .replace('4711', '7'),
  'labels that are no list': JSON.stringify({
    action: 'queued',
    repository,
    workflow_job: {
      id: 9,
      run_id: 8,
      run_attempt: 1,
      labels: 'x',
      steps: 7,
      status: 'queued',
      created_at: '2026-01-01T00:00:00Z',
    },
  }),
};

test('every poisoned payload is stored or dead with a reason, and its group goes on', async () => {
  for (const [name, payload] of Object.entries(payloads)) {
    const integration = await createIntegration(name.slice(0, 100));
    for (const event of queuedEvents) {
      const { status } = await postWebhook(baseUrl, integration, { event, payload });
      assert.equal(status, 200, `${name} as ${event}`);
    }
    await goesOn(integration, name);
  }
  assert.equal(({} as { polluted?: boolean }).polluted, undefined);
  assert.doesNotMatch(logged(), /"level":60/);
});

test('a message that is no JSON, or not one of ours, is dead with a reason, and its group goes on', async () => {
  const integration = await createIntegration('Foreign messages');
  const bodies = [
    '',
    'no JSON',
    '{"taskType":"unheard_of"}',
    '{"taskType":"org_member_sync"}',
    '[]',
    `{"eventType":"star","integrationId":"${integration.integrationId}","deliveryId":"y","receivedAt":"${new Date().toISOString()}","payload":{}}`,
    '['.repeat(200_000),
  ];
  for (const body of bodies)
    await queue.send({
      groupId: integration.integrationId,
      deduplicationId: randomUUID(),
      body: Buffer.from(body),
    });
  await goesOn(integration, 'foreign messages');
  const deadLetters = await queue.deadLetters.list({ groupId: integration.integrationId });
  assert.deepEqual(
    deadLetters.map(({ reason }) => reason),
    [
      'invalid_json',
      'invalid_json',
      'invalid_message',
      'invalid_message',
      'invalid_message',
      'unsupported_event',
      'invalid_json',
    ],
  );
});

test('a message for an integration of another group is not stored there', async () => {
  const [own, other] = [await createIntegration('Own'), await createIntegration('Other')];
  const body = JSON.stringify({
    eventType: 'workflow_run',
    integrationId: other.integrationId,
    deliveryId: randomUUID(),
    receivedAt: new Date().toISOString(),
    payload: good,
  });
  await queue.send({ groupId: own.integrationId, deduplicationId: randomUUID(), body: Buffer.from(body) });
  await goesOn(own, 'foreign integration');
  assert.deepEqual(await owner.items(other.integrationId, '/workflows'), []);
});

/** A healthy event sent afterwards is stored, and every message before it is accounted for. */
async function goesOn(
  integration: Awaited<ReturnType<typeof createIntegration>>,
  name: string,
): Promise<void> {
  const event = createSimulator({ seed: name, startAt: new Date() })
    .story('push')
    .find(({ eventType }) => eventType === 'workflow_run');
  assert.ok(event?.eventType === 'workflow_run');
  await postWebhook(baseUrl, integration, {
    event: event.eventType,
    payload: event.payload,
    deliveryId: event.deliveryId,
  });
  const path = `/workflows/${event.payload.workflow_run.id}`;
  await waitUntil(
    `${name}: the next event of the group to be stored`,
    async () => (await owner.call('GET', integration.integrationId, path)).status === 200,
  );
  const deadLetters = await queue.deadLetters.list({ groupId: integration.integrationId });
  for (const { reason } of deadLetters) assert.notEqual(reason, 'internal_error', name);
}
