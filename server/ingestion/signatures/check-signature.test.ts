import assert from 'node:assert/strict';
import { createHmac, randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import pino from 'pino';
import { makeListener } from '#platform/database/listener.ts';
import type { Database } from '#platform/database/database.ts';
import { makeSealer } from '#platform/runtime/secrets/sealing.ts';
import { makeSecretCache } from '#server/integrations/secrets/secret-cache.ts';
import { secretContext } from '#server/integrations/secrets/webhook-secret.ts';
import { createTestDatabase, testMasterKey } from '#test/support/database/test-database.ts';
import { insertIntegration } from '#test/support/database/insert-integration.ts';
import { checkSignature } from './check-signature.ts';
import { updateRows } from '#test/support/database/rows.ts';
import { withoutTrigger } from '#test/support/database/faults.ts';

const database = await createTestDatabase();
const log = pino({ enabled: false });
const sealer = makeSealer([testMasterKey]);
const listener = makeListener(database.api.connection, log);
let now = Date.now();
const clock = (): number => now;

let queries = 0;
const counting: Database = {
  ...database.api,
  withScope: (...call) => {
    queries += 1;
    return database.api.withScope(...call);
  },
};
const deps = { secrets: makeSecretCache({ db: counting, sealer, clock, log }, listener), clock };

before(() => listener.start());
after(() => listener.stop());

const sealed = (integrationId: string, secret: string) =>
  sealer.seal(Buffer.from(secret), secretContext(integrationId));

async function makeIntegration(secret: string, previous?: string): Promise<string> {
  const integrationId = randomUUID();
  const sealedPrevious = previous === undefined ? null : sealed(integrationId, previous);
  return insertIntegration(database, integrationId, sealed(integrationId, secret), sealedPrevious);
}

const body = Buffer.from('{}');
const signedWith = (secret: string | Buffer): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
const usedFor = async (integrationId: string, signature: string | undefined) => {
  const headers = signature === undefined ? {} : { 'x-hub-signature-256': signature };
  return (await checkSignature(deps, { integrationId, headers, body })).used;
};

const wrong = signedWith('wrong');

for (const [what, prepare] of [
  ['unknown', async () => randomUUID()],
  ['unknown, asked for before', async () => askedFor(randomUUID())],
  ['known and not in memory', () => makeIntegration('right')],
  ['known and in memory', async () => askedFor(await makeIntegration('right'))],
  ['known with two secrets, and in memory', async () => askedFor(await makeIntegration('right', 'former'))],
] as [string, () => Promise<string>][]) {
  test(`a wrong signature costs one query for an integration that is ${what}`, async () => {
    const integrationId = await prepare();
    for (const signature of [wrong, undefined, 'sha256=short', `sha256=${'0'.repeat(64)}`, wrong]) {
      queries = 0;
      assert.equal(await usedFor(integrationId, signature), undefined);
      assert.equal(queries, 1, String(signature));
    }
  });
}

async function askedFor(integrationId: string): Promise<string> {
  await usedFor(integrationId, signedWith('right'));
  return integrationId;
}

test('a right signature costs one query in half a minute', async () => {
  const integrationId = await makeIntegration('right', 'former');
  queries = 0;
  for (const secret of ['right', 'former', 'right']) await usedFor(integrationId, signedWith(secret));
  assert.equal(await usedFor(integrationId, signedWith('right')), 'current');
  assert.equal(await usedFor(integrationId, signedWith('former')), 'previous');
  assert.equal(queries, 1);
  now += 30_000;
  assert.equal(await usedFor(integrationId, signedWith('right')), 'current');
  assert.equal(queries, 2);
});

test('a secret replaced a moment ago counts at once, and the old one ends with the next wrong signature', async () => {
  const integrationId = await askedFor(await makeIntegration('right'));
  const renewed = { webhook_secret: sealed(integrationId, 'renewed') };
  await withoutTrigger(database, 'integrations', 'integrations_changed', () =>
    updateRows(database, 'integrations', renewed, { integration_id: integrationId }),
  );
  assert.equal(await usedFor(integrationId, signedWith('renewed')), 'current');
  assert.equal(await usedFor(integrationId, signedWith('right')), undefined);
});

test('an integration counts with the first webhook after it was made, also when it was asked for before', async () => {
  const integrationId = randomUUID();
  await usedFor(integrationId, wrong);
  await insertIntegration(database, integrationId, sealed(integrationId, 'right'));
  assert.equal(await usedFor(integrationId, signedWith('right')), 'current');
});
