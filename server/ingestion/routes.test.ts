import assert from 'node:assert/strict';
import { request } from 'node:http';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { Problem } from '#contract/base/errors.ts';
import { findOrCreateDemoUser } from '#server/identity/demo-identity.ts';
import { changeWebhookEvents } from '#server/integrations/change-integration.ts';
import { postWebhook, signature } from '#test/support/forge/post-webhook.ts';
import { startTestProgram } from '#test/support/product/test-program.ts';
import { countRows, storedText } from '#test/support/database/rows.ts';

/** Only the receiving half runs, so that what was queued stays to be counted. */
const { baseUrl, publicUrl, database, createIntegration, logged } = await startTestProgram(
  {
    WEBHOOK_MAX_BYTES: '3000000',
    FORGE_EVENT_HEADERS: 'x-forge-event,x-github-event,x-gitea-event,x-forgejo-event,x-what-happened',
  },
  ['api'],
);
const integration = await createIntegration();
const payload = { action: 'requested', workflow_run: { id: 1 } };

const queued = () => countRows(database, 'queue_message');

/** Posts, and asserts that whatever was answered left nothing in the queue. */
async function refused(response: Promise<Response>, status: number, code: string): Promise<Problem> {
  const before = await queued();
  const answer = await response;
  const problem = (await answer.json()) as Problem;
  assert.equal(answer.status, status);
  assert.equal(problem.code, code);
  assert.equal(answer.headers.get('content-type'), 'application/problem+json');
  assert.equal(answer.headers.get('x-request-id'), problem.requestId);
  assert.equal(await queued(), before);
  return problem;
}

async function accepted(response: Promise<Response>): Promise<void> {
  const answer = await response;
  assert.deepEqual([answer.status, await answer.json()], [200, { message: 'ok' }]);
}

test('a signed event is queued before the 200', async () => {
  const before = await queued();
  await accepted(postWebhook(baseUrl, integration, { event: 'workflow_run', payload }));
  assert.equal(await queued(), before + 1);
});

for (const header of ['x-forge', 'x-github', 'x-gitea', 'x-forgejo']) {
  test(`the event may be named by ${header}-event, and a repeat of the delivery is queued once`, async () => {
    const before = await queued();
    const headers = {
      'x-github-event': undefined,
      'x-github-delivery': undefined,
      [`${header}-event`]: 'workflow_job',
      [`${header}-delivery`]: randomUUID(),
    };
    await accepted(postWebhook(baseUrl, integration, { event: '', payload, headers }));
    await accepted(postWebhook(baseUrl, integration, { event: '', payload, headers }));
    assert.equal(await queued(), before + 1);
  });
}

test('the name of an event is not a delivery id: without an id, each body is a delivery of its own', async () => {
  const before = await queued();
  const headers = {
    'x-github-event': undefined,
    'x-github-delivery': undefined,
    'x-what-happened': 'workflow_job',
  };
  for (const id of [1, 2, 2])
    await accepted(
      postWebhook(baseUrl, integration, { event: '', payload: { workflow_job: { id } }, headers }),
    );
  assert.equal(await queued(), before + 2);
});

test('a form body is the same event as its payload field', async () => {
  const before = await queued();
  const form = Buffer.from(new URLSearchParams({ payload: JSON.stringify(payload) }).toString());
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  await accepted(postWebhook(baseUrl, integration, { event: 'workflow_run', payload: form, headers }));
  assert.equal(await queued(), before + 1);
});

test('ping is answered and not queued, whatever is in it', async () => {
  const before = await queued();
  await accepted(postWebhook(baseUrl, integration, { event: 'ping', payload: { zen: 'x' } }));
  await accepted(postWebhook(baseUrl, integration, { event: 'ping', payload: 'no JSON' }));
  assert.equal(await queued(), before);
});

test('wrong signatures, unknown and malformed ids are one and the same answer', async () => {
  const post = (to: Partial<typeof integration>, headers: Record<string, string | undefined> = {}) =>
    postWebhook(baseUrl, { ...integration, ...to }, { event: 'workflow_run', payload, headers });
  const sha1 = {
    'x-hub-signature-256': undefined,
    'x-hub-signature': 'sha1=0000000000000000000000000000000000000000',
  };
  const problems = [
    await refused(post({ webhookSecret: 'wrong' }), 401, 'invalid_signature'),
    await refused(post({ integrationId: randomUUID() }), 401, 'invalid_signature'),
    await refused(post({ integrationId: 'no-uuid' }), 401, 'invalid_signature'),
    await refused(post({}, { 'x-hub-signature-256': undefined }), 401, 'invalid_signature'),
    await refused(post({}, { 'x-hub-signature-256': 'sha256=' }), 401, 'invalid_signature'),
    await refused(post({}, sha1), 401, 'invalid_signature'),
  ];
  const bodies = new Set(problems.map((problem) => JSON.stringify({ ...problem, requestId: '' })));
  assert.equal(bodies.size, 1);
});

test('a signature header that comes twice is no signature', async () => {
  const body = Buffer.from(JSON.stringify(payload));
  const good = signature(integration.webhookSecret, body);
  const headers = [
    'x-github-event',
    'workflow_run',
    'x-hub-signature-256',
    good,
    'x-hub-signature-256',
    good,
    'content-type',
    'application/json',
    'host',
    'localhost',
  ];
  const status = await new Promise((resolve, reject) => {
    const call = request(`${baseUrl}/api/import/${integration.integrationId}`, { method: 'POST', headers });
    call.on('response', (response) => resolve(response.resume().statusCode)).on('error', reject);
    call.end(body);
  });
  assert.equal(status, 401);
});

test('an event type that is missing or unknown is refused with the list of those supported', async () => {
  const named = await refused(
    postWebhook(baseUrl, integration, { event: 'star', payload }),
    400,
    'unsupported_event',
  );
  assert.match(named.detail ?? '', /workflow_run, .*pull_request_review, .*ping/);
  const headers = { 'x-github-event': undefined };
  await refused(postWebhook(baseUrl, integration, { event: '', payload, headers }), 400, 'unsupported_event');
});

test('a body that holds no JSON is refused, but only once its signature held', async () => {
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const post = (text: string, headers = {}) =>
    postWebhook(baseUrl, integration, { event: 'workflow_run', payload: text, headers });
  await refused(post('{"a":'), 400, 'invalid_json');
  await refused(post(''), 400, 'invalid_json');
  await refused(post('a=b', form), 400, 'invalid_json');
  await refused(post('payload=%7B', form), 400, 'invalid_json');
  await refused(post('payload={}&payload={}', form), 400, 'invalid_json');
  await refused(
    post('{"a":', { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` }),
    401,
    'invalid_signature',
  );
});

test('a body over the limit is refused from its Content-Length, before it is read', async () => {
  const before = await queued();
  const answer = await new Promise<{ status: number | undefined; code: unknown }>((resolve, reject) => {
    const call = request(`${baseUrl}/api/import/${integration.integrationId}`, {
      method: 'POST',
      headers: { 'content-length': 3_000_001 },
    });
    call.on('response', async (response) => {
      const chunks = await response.toArray();
      resolve({
        status: response.statusCode,
        code: (JSON.parse(Buffer.concat(chunks).toString()) as Problem).code,
      });
      call.destroy();
    });
    call.on('error', reject);
    // Not one byte of the body is sent: the answer comes from the header alone.
    call.flushHeaders();
  });
  assert.deepEqual(answer, { status: 413, code: 'payload_too_large' });
  assert.equal(await queued(), before);
});

test('a body over the limit that does not say so is refused while it is read', async () => {
  const before = await queued();
  const status = await new Promise((resolve) => {
    const call = request(`${baseUrl}/api/import/${integration.integrationId}`, { method: 'POST' });
    call.on('response', (response) => resolve(response.resume().statusCode));
    // The server may hang up while the rest is still being written.
    call.on('error', () => resolve('hung up'));
    for (let sent = 0; sent < 4; sent += 1) call.write(Buffer.alloc(1_000_000));
    call.end();
  });
  assert.ok(status === 413 || status === 'hung up', String(status));
  assert.equal(await queued(), before);
});

test('a body too large for a message is kept and queued by reference', async () => {
  const before = await queued();
  await accepted(
    postWebhook(baseUrl, integration, {
      event: 'workflow_run',
      payload: { ...payload, padding: 'x'.repeat(2_000_000) },
    }),
  );
  assert.equal(await queued(), before + 1);
  assert.equal(await countRows(database, 'large_payload'), 1);
});

test('an event the integration is not subscribed to is acknowledged and not queued', async () => {
  const other = await createIntegration('Few events');
  const actor = { integrationId: other.integrationId, actorId: await findOrCreateDemoUser(database.api) };
  await changeWebhookEvents({ db: database.api, publicUrl }, actor, ['workflow_job']);
  const before = await queued();
  await accepted(postWebhook(baseUrl, other, { event: 'workflow_run', payload }));
  assert.equal(await queued(), before);
});

test('secrets are sealed in the database and absent from the log', async () => {
  assert.equal((await storedText(database, 'integrations')).includes(integration.webhookSecret), false);
  assert.doesNotMatch(logged(), new RegExp(`${integration.webhookSecret}|sha256=`));
});
