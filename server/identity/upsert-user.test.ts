import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeJwt, type JWTPayload } from 'jose';
import pino from 'pino';
import type { Listener } from '#platform/database/listener.ts';
import type { CookieClient } from '#test/support/identity/cookie-client.ts';
import { startSignInProduct } from '#test/support/identity/signed-in-product.ts';
import { makeUpsertUser } from './upsert-user.ts';
import type { VerifiedTokens } from './tokens/token-pair.ts';
import { countRows } from '#test/support/database/rows.ts';
import { roleIn } from '#server/members/memberships-of-user.ts';
import { addPending } from '#test/support/team/people.ts';

const product = await startSignInProduct();
const { publicUrl, provider, database } = product;

/** Signs somebody in whose ID token says this as well. */
async function signInWith(login: string, claims: JWTPayload): Promise<CookieClient> {
  provider.tamper = async (body, sign) => ({
    ...body,
    id_token: await sign({ ...decodeJwt(body.id_token ?? ''), ...claims }),
  });
  try {
    return await product.newSession(login);
  } finally {
    provider.tamper = undefined;
  }
}

/** Hears no announcement. */
const deaf = { on: () => {}, onConnect: () => {} } as unknown as Listener;
const keeperBy = (clock: () => number) =>
  makeUpsertUser({
    db: database.api,
    listener: deaf,
    clock,
    log: pino({ level: 'silent' }),
    maxRole: 'member',
  });

const keyOf = (cognitoId: string) => ({ cognitoIdClaim: 'username', cognitoId });

interface SeenUser {
  name: string;
  memberships: { integrationId: string; role: string }[];
}

async function userOf(browser: CookieClient): Promise<SeenUser> {
  const answer = await browser.fetch(`${publicUrl}/api/user`);
  assert.equal(answer.status, 200);
  return (await answer.json()) as SeenUser;
}

async function storedUser(login: string) {
  const [row] = await database.asOwner<{ forge_id: string | null; version: string }>(
    `select forge_id::text, xmin::text as version from users where cognito_id = 'Forge_${login}'`,
  );
  return row;
}

test('a pending member becomes a member with the first request after the sign-in', async () => {
  const { integrationId } = await product.createIntegration('Waiting');
  await addPending(database, integrationId, 4711, 'member');
  const { memberships } = await userOf(await signInWith('ann', { 'custom:forge_id': '4711' }));
  assert.deepEqual(
    memberships.map((each) => [each.integrationId, each.role]),
    [[integrationId, 'member']],
  );
});

test('repeated claims write nothing, and missing claims erase nothing', async () => {
  const bob = await signInWith('bob', { 'custom:forge_id': '4712' });
  await userOf(bob);
  const before = await storedUser('bob');
  await userOf(bob);
  await userOf(await signInWith('bob', { 'custom:forge_id': undefined, name: undefined }));
  assert.deepEqual(await storedUser('bob'), before);
  assert.equal((await userOf(bob)).name, 'bob');
});

test('older claims change nothing, even when they are shown last', async () => {
  const upsertUser = keeperBy(Date.now);
  const cleo = (name: string, issuedAt: number) =>
    upsertUser({ ...keyOf('cleo'), name, issuedAt } as VerifiedTokens);
  await cleo('Old name', 100);
  const userId = await cleo('New name', 700);
  assert.equal(await cleo('Old name', 100), userId);
  assert.equal(await countRows(database, 'users', { cognito_id: 'cleo', name: 'New name' }), 1);
});

test('of two token pairs that are used in turn, the last one gives the name', async () => {
  const upsertUser = keeperBy(Date.now);
  const pairs = ['On the phone', 'On the desktop'].map(
    (name) => ({ ...keyOf('hal'), name, issuedAt: 100 }) as VerifiedTokens,
  );
  for (const pair of [...pairs, ...pairs, pairs[0]!]) {
    await upsertUser(pair);
    assert.equal(await countRows(database, 'users', { cognito_id: 'hal', name: pair.name! }), 1);
  }
});

test('a provider that sends fractional times can sign people in', async () => {
  const gil = await signInWith('gil', { iat: Date.now() / 1000 - 0.5, name: 'Gil' });
  assert.equal((await userOf(gil)).name, 'Gil');
});

test("a person with another user's forge ID signs in without it", async () => {
  const dan = await signInWith('dan', { 'custom:forge_id': '4713' });
  await userOf(dan);
  const eve = await signInWith('eve', { 'custom:forge_id': '4713' });
  assert.equal((await userOf(eve)).name, 'eve');
  assert.equal((await storedUser('dan'))?.forge_id, '4713');
  assert.equal((await storedUser('eve'))?.forge_id, null);
  assert.match(product.logged(), /forge id ignored: another user has it/);
});

test('a pending membership is found within ten seconds when its notification is lost', async () => {
  let now = Date.now();
  const upsertUser = keeperBy(() => now);
  const fay = { ...keyOf('fay'), name: 'fay', forgeId: '4715', issuedAt: 1 } as VerifiedTokens;
  const userId = await upsertUser(fay);
  const { integrationId } = await product.createIntegration('Waiting later');
  await addPending(database, integrationId, 4715, 'viewer');
  now += 10_000;
  assert.equal(await upsertUser(fay), userId);
  const role = await database.api.withScope({ integrationId }, (tx) => roleIn(tx, integrationId, userId));
  assert.equal(role, 'viewer');
});
