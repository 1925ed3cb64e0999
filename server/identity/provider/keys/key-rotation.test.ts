import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { decodeJwt, generateKeyPair, SignJWT } from 'jose';
import { startSignInProduct } from '#test/support/identity/signed-in-product.ts';

const { publicUrl, provider, newSession } = await startSignInProduct();

/** The answer to a request whose tokens name a key that nobody has. */
async function askWithUnknownKey(): Promise<number> {
  const { privateKey } = await generateKeyPair('RS256');
  const token = await new SignJWT({})
    .setProtectedHeader({ alg: 'RS256', kid: randomUUID() })
    .sign(privateKey);
  const headers = { cookie: `accessToken=${token}; idToken=${token}` };
  return (await fetch(`${publicUrl}/api/user`, { headers })).status;
}

/** The provider signs with a key that nobody has seen, right after its keys were asked for. */
async function rotateUnseen(): Promise<void> {
  await askWithUnknownKey();
  await provider.rotateKey();
  provider.tamper = async (body, sign) => ({
    ...body,
    access_token: await sign(decodeJwt(body.access_token ?? ''), 'at+jwt'),
    id_token: await sign(decodeJwt(body.id_token ?? '')),
  });
}

test('a refresh just after a key change of the provider continues the session', async () => {
  const browser = await newSession('ann');
  await rotateUnseen();
  const answer = await browser.fetch(`${publicUrl}/api/auth/refresh`, { method: 'POST' });
  assert.equal(answer.status, 200);
  assert.deepEqual(provider.revoked, []);
  assert.equal((await browser.fetch(`${publicUrl}/api/user`)).status, 200);
});

test('a sign-in just after a key change of the provider begins a session', async () => {
  await rotateUnseen();
  const browser = await newSession('ben');
  assert.equal((await browser.fetch(`${publicUrl}/api/user`)).status, 200);
});

test('every token that names an unknown key is answered with 401', async () => {
  const answers = [await askWithUnknownKey(), await askWithUnknownKey(), await askWithUnknownKey()];
  assert.deepEqual(answers, [401, 401, 401]);
});
