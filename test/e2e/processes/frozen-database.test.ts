import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import pg from 'pg';
import type { Problem } from '#contract/base/errors.ts';
import { makeSealer } from '#platform/runtime/secrets/sealing.ts';
import { createIntegration } from '#server/integrations/create-integration.ts';
import { findOrCreateDemoUser } from '#server/identity/demo-identity.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { runPayload } from '#test/support/data/forge-events.ts';
import { startSilentProxy } from '#test/support/network/silent-proxy.ts';
import { createTestDatabase, testMasterKey } from '#test/support/database/test-database.ts';
import { startTestProgram } from '#test/support/product/test-program.ts';
import { untilSessionWaits } from '#test/support/database/waiting-sessions.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { storedRuns } from '#test/support/data/reading/stored-runs.ts';

const database = await createTestDatabase();
const proxy = await startSilentProxy(database.url);
const { baseUrl } = await startTestProgram({ DATABASE_URL: proxy.url, WORKER_TIMEOUT_SECONDS: '300' });
const ownerId = await findOrCreateDemoUser(database.api);
const newIntegration = (label: string) =>
  createIntegration({ db: database.api, sealer: makeSealer([testMasterKey]) }, { label, ownerId });
const integration = await newIntegration('known');
const unread = await newIntegration('not read yet');

/** GitHub gives up after ten seconds. */
const githubMs = 10_000;

const post = (id: number, deliveryId: string, to = integration): Promise<Response> =>
  postWebhook(baseUrl, to, { event: 'workflow_run', payload: runPayload({ id }), deliveryId });

async function isRefusedInTime(answering: Promise<Response>): Promise<void> {
  const startedAt = performance.now();
  const answer = await answering;
  const tookMs = performance.now() - startedAt;
  assert.deepEqual([answer.status, ((await answer.json()) as Problem).code], [503, 'try_again']);
  assert.match(answer.headers.get('retry-after') ?? '', /^\d+$/);
  assert.ok(tookMs < githubMs, `${tookMs} ms`);
}

const isStored = (count: number, { integrationId } = integration) =>
  waitUntil(
    'the runs to be stored',
    async () => (await storedRuns(database, integrationId)).length === count,
  );

test('while the database is frozen webhooks are refused before GitHub gives up, and later everything is taken and processed', async () => {
  assert.equal((await post(1, randomUUID())).status, 200);
  await isStored(1);
  const thaw = proxy.freeze();
  const late = [randomUUID(), randomUUID(), randomUUID()] as const;
  await Promise.all([
    isRefusedInTime(post(2, late[0])),
    isRefusedInTime(post(3, late[1], unread)),
    fetch(`${baseUrl}/healthz`).then(({ status }) => assert.equal(status, 200)),
    fetch(`${baseUrl}/readyz`).then(({ status }) => assert.equal(status, 503)),
  ]);
  // The connection of the send that hung is closed. A new one hangs as well.
  await isRefusedInTime(post(4, late[2]));
  thaw();
  for (const [index, to] of [integration, unread, integration].entries())
    await waitUntil('a redelivery to be taken', async () => (await post(index + 2, late[index]!, to)).ok);
  await isStored(3);
  await isStored(1, unread);
  await waitUntil('the database to be ready', async () => (await fetch(`${baseUrl}/readyz`)).ok);
});

test('a message whose send lost its connection is processed without waiting for the end of its lease', async () => {
  const holder = new pg.Client({ connectionString: database.url });
  await holder.connect();
  await holder.query('begin; lock table queue_message in share mode');
  const refused = isRefusedInTime(post(5, randomUUID()));
  await untilSessionWaits(database, 'the send');
  proxy.cut();
  await refused;
  // Postgres stores the message now, with a lease of 450 seconds for a receiver that has not heard of it.
  await holder.end();
  await isStored(4);
});
