import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import pino from 'pino';
import { makeListener } from '#platform/database/listener.ts';
import { makeSealer } from '#platform/runtime/secrets/sealing.ts';
import { createTestDatabase, testMasterKey } from '#test/support/database/test-database.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { insertIntegration } from '#test/support/database/insert-integration.ts';
import { makeSecretCache } from './secret-cache.ts';
import { secretContext } from './webhook-secret.ts';
import { updateRows } from '#test/support/database/rows.ts';
import { cutListeners, withoutTrigger } from '#test/support/database/faults.ts';

const database = await createTestDatabase();
const log = pino({ enabled: false });
const sealer = makeSealer([testMasterKey]);
let now = Date.now();
const listener = makeListener(database.api.connection, log);
const cache = makeSecretCache({ db: database.api, sealer, clock: () => now, log }, listener);

before(() => listener.start());
after(() => listener.stop());

const sealed = (integrationId: string, secret: string) =>
  sealer.seal(Buffer.from(secret), secretContext(integrationId));

const currentOf = async (integrationId: string) =>
  (await (cache.kept(integrationId) ?? cache.read(integrationId)))?.current.toString();

/** An integration whose secret is in the cache, and was replaced without a word to it. */
async function changeUntold(): Promise<string> {
  const integrationId = randomUUID();
  // A caller that asks too early gets no later answer.
  assert.equal(await currentOf(integrationId), undefined);
  await insertIntegration(database, integrationId, sealed(integrationId, 'first'));
  assert.equal(await currentOf(integrationId), 'first');
  const second = { webhook_secret: sealed(integrationId, 'second') };
  await withoutTrigger(database, 'integrations', 'integrations_changed', () =>
    updateRows(database, 'integrations', second, { integration_id: integrationId }),
  );
  assert.equal(await currentOf(integrationId), 'first');
  return integrationId;
}

test('a change that was announced while the connection was lost is known when it is back', async () => {
  const integrationId = await changeUntold();
  await cutListeners(database);
  await waitUntil('the new secret', async () => (await currentOf(integrationId)) === 'second');
});

test('a change that was never announced is known after half a minute', async () => {
  const integrationId = await changeUntold();
  now += 29_999;
  assert.equal(await currentOf(integrationId), 'first');
  now += 1;
  assert.equal(await currentOf(integrationId), 'second');
});
