import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeJwt, type JWTPayload } from 'jose';
import { makeCookieClient, signIn, type CookieClient } from '#test/support/identity/cookie-client.ts';
import { startSignInProduct } from '#test/support/identity/signed-in-product.ts';
import { countRows } from '#test/support/database/rows.ts';

const product = await startSignInProduct({ TRUSTED_PROXIES: '127.0.0.0/8' });
const { publicUrl, provider, database } = product;

const noNames: JWTPayload = { username: undefined, 'cognito:username': undefined };

let addresses = 0;

/** Signs in with tokens that name the person like this; claims of the access token follow those of the ID token. */
async function signInAs(id: JWTPayload, access: JWTPayload = {}): Promise<[CookieClient, Response]> {
  provider.tamper = async (body, sign) => {
    const idToken = { ...decodeJwt(body.id_token ?? ''), ...noNames, ...id };
    const accessToken = { ...decodeJwt(body.access_token ?? ''), username: undefined };
    return {
      ...body,
      id_token: await sign(idToken),
      access_token: await sign({ ...accessToken, sub: idToken.sub ?? '', ...access }, 'at+jwt'),
    };
  };
  try {
    const browser = makeCookieClient();
    return [browser, await signIn(browser, publicUrl, 'ann', '/', `192.0.2.${++addresses}`)];
  } finally {
    provider.tamper = undefined;
  }
}

async function userIdOf(id: JWTPayload, access?: JWTPayload): Promise<string> {
  const [browser, { status }] = await signInAs(id, access);
  assert.equal(status, 302);
  const answer = await browser.fetch(`${publicUrl}/api/user`);
  assert.equal(answer.status, 200);
  return ((await answer.json()) as { userId: string }).userId;
}

const isKeyedBy = async (userId: string, claim: string, value: string): Promise<boolean> => {
  const user = { user_id: userId, cognito_id_claim: claim, cognito_id: value };
  return (await countRows(database, 'users', user)) === 1;
};

test('a person whose account is recreated with the same username keeps their memberships', async () => {
  const first = await userIdOf({ sub: 'one', username: 'GitHub_1' }, { username: 'GitHub_1' });
  assert.equal(await userIdOf({ sub: 'two', username: 'GitHub_1' }), first);
  assert.equal(await userIdOf({ sub: 'three', 'cognito:username': 'GitHub_1' }), first);
  assert.ok(await isKeyedBy(first, 'username', 'GitHub_1'));
});

test('a person without a username is identified by the subject, whatever name they prefer', async () => {
  const first = await userIdOf({ sub: 'four', preferred_username: 'ann' }, { username: 'ignored' });
  assert.equal(await userIdOf({ sub: 'four', preferred_username: 'ann-renamed' }), first);
  assert.notEqual(await userIdOf({ sub: 'five', preferred_username: 'ann' }), first);
  assert.ok(await isKeyedBy(first, 'sub', 'four'));
});

test("a username that equals another person's subject stays a different person, also at a sign-out everywhere", async () => {
  const victim = await userIdOf({ sub: 'six' });
  assert.notEqual(await userIdOf({ sub: 'seven', username: 'six' }), victim);

  const [other] = await signInAs({ sub: 'seven', username: 'six', iat: Math.floor(Date.now() / 1000) - 5 });
  const [attacked] = await signInAs({ sub: 'six', iat: Math.floor(Date.now() / 1000) - 5 });
  const everywhere = `${publicUrl}/api/auth/logout?everywhere=1`;
  assert.equal((await other.fetch(everywhere, { method: 'POST' })).status, 204);
  assert.equal((await attacked.fetch(`${publicUrl}/api/user`)).status, 200);
});

for (const [what, id, access] of [
  ['two names that differ', { username: 'ann', 'cognito:username': 'ben' }],
  ['a name that is not that of the access token', { username: 'ann' }, { username: 'ben' }],
  ['a name that is no text', { username: 7 }],
  ['an empty name', { username: '' }],
  ['a name of 256 characters', { username: 'a'.repeat(256) }],
  ['a name with a character that the database does not store', { username: 'ann\0' }],
  ['half of a character as name', { username: '\ud800' }],
  ['a subject of 256 characters', { sub: 's'.repeat(256) }],
  ['access token of another subject', { sub: 'eight' }, { sub: 'nine' }],
] as [string, JWTPayload, JWTPayload?][]) {
  test(`${what}: no session begins`, async () => {
    const [, answer] = await signInAs(id, access);
    assert.equal(answer.status, 502);
    assert.equal(((await answer.json()) as { code: string }).code, 'identity_provider_failed');
  });
}

test('a display name that the database cannot store does not prevent the sign-in', async () => {
  await userIdOf({ sub: 'ten', name: 'nul\0', email: 'a\0@example.com' });
});
