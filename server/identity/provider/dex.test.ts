import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { afterEach, beforeEach, test } from 'node:test';
import { decodeJwt } from 'jose';
import { makeCookieClient, signIn, type CookieClient } from '#test/support/identity/cookie-client.ts';
import type { IndependentProvider } from '#test/support/identity/independent-provider.ts';
import { startSignInProduct } from '#test/support/identity/signed-in-product.ts';

const { publicUrl, provider, newSession } = await startSignInProduct();
const { host } = new URL(publicUrl);

type Tamper = NonNullable<IndependentProvider['tamper']>;

const hashOf = (token: string): string =>
  createHash('sha256').update(token).digest().subarray(0, 16).toString('base64url');

/**
 * Both tokens as Dex makes them: the access token is an ID token with an `at_hash` of nothing, and neither says what it
 * is, which session it is of, or when somebody signed in. Issued a while ago, to be older than a sign-out.
 */
const asDex: Tamper = async (body, sign) => {
  const { iss, sub, aud, exp, iat, nonce, email, email_verified, name, preferred_username } = decodeJwt(
    body.id_token ?? '',
  );
  const person = { sub, nonce, email, email_verified, name, preferred_username };
  const claims = { iss, aud, exp, iat: (iat ?? 0) - 5, ...person };
  const accessToken = await sign({ ...claims, at_hash: randomBytes(16).toString('base64url') });
  return {
    ...body,
    access_token: accessToken,
    id_token: await sign({ ...claims, at_hash: hashOf(accessToken) }),
  };
};

beforeEach(() => {
  provider.tamper = asDex;
});
afterEach(() => {
  provider.tamper = undefined;
});

const post = { method: 'POST' };
const tokenOf = (browser: CookieClient, name: 'accessToken' | 'idToken'): string =>
  browser.cookies.get(`${host} ${name}`)?.value ?? '';
const isSignedIn = async (browser: CookieClient): Promise<boolean> => {
  const { status } = await browser.fetch(`${publicUrl}/api/user`);
  assert.ok(status === 200 || status === 401, String(status));
  return status === 200;
};
const refresh = (browser: CookieClient): Promise<Response> =>
  browser.fetch(`${publicUrl}/api/auth/refresh`, post);

test('an access token that looks like an ID token is accepted when the ID token names it, also after a refresh', async () => {
  const browser = await newSession('ann');
  assert.equal(await isSignedIn(browser), true);
  assert.equal((await refresh(browser)).status, 200);
  assert.equal(await isSignedIn(browser), true);
});

test('a token does not replace the other one or that of another sign-in', async () => {
  const [ann, again, ben] = [await newSession('ann'), await newSession('ann'), await newSession('ben')];
  const [access, id] = [tokenOf(ann, 'accessToken'), tokenOf(ann, 'idToken')];
  for (const [what, accessToken, idToken] of [
    ['both swapped', id, access],
    ['the ID token twice', id, id],
    ['the access token twice', access, access],
    ['the access token of another sign-in', tokenOf(again, 'accessToken'), id],
    ['the ID token of another sign-in', access, tokenOf(again, 'idToken')],
    ['the access token of somebody else', tokenOf(ben, 'accessToken'), id],
  ] as const) {
    const headers = { cookie: `accessToken=${accessToken}; idToken=${idToken}` };
    assert.equal((await fetch(`${publicUrl}/api/user`, { headers })).status, 401, what);
  }
  assert.equal(await isSignedIn(ann), true);
});

for (const [what, tamper] of Object.entries<Tamper>({
  'that the ID token does not name': async (body, sign) => {
    const given = await asDex(body, sign);
    const { at_hash: _dropped, ...claims } = decodeJwt(given.id_token ?? '');
    return { ...given, id_token: await sign(claims) };
  },
  'for another audience': async (body, sign) => {
    const given = await asDex(body, sign);
    const accessToken = await sign({ ...decodeJwt(given.access_token ?? ''), aud: 'another' });
    const idToken = await sign({ ...decodeJwt(given.id_token ?? ''), at_hash: hashOf(accessToken) });
    return { ...given, access_token: accessToken, id_token: idToken };
  },
  'given to another client': async (body, sign) => {
    const given = await asDex(body, sign);
    const claims = decodeJwt(given.access_token ?? '');
    const accessToken = await sign({ ...claims, aud: [claims.aud ?? ''].flat(), azp: 'another' });
    const idToken = await sign({ ...decodeJwt(given.id_token ?? ''), at_hash: hashOf(accessToken) });
    return { ...given, access_token: accessToken, id_token: idToken };
  },
})) {
  test(`an access token that looks like an ID token, ${what}: no session begins`, async () => {
    provider.tamper = tamper;
    const answer = await signIn(makeCookieClient(), publicUrl, 'ann');
    assert.equal(answer.status, 502);
    assert.equal(((await answer.json()) as { code: string }).code, 'identity_provider_failed');
  });
}

test('a sign-out ends the session of its browser, also after a refresh, and no other session of the person', async () => {
  const [browser, elsewhere] = [await newSession('ann'), await newSession('ann')];
  const before = browser.copy();
  assert.equal((await refresh(browser)).status, 200);
  const old = browser.copy();
  assert.equal((await browser.fetch(`${publicUrl}/api/auth/logout`, post)).status, 204);
  assert.equal(await isSignedIn(before), false);
  assert.equal(await isSignedIn(old), false);
  assert.equal((await refresh(old)).status, 401);
  assert.equal(await isSignedIn(elsewhere), true);
  assert.equal((await refresh(elsewhere)).status, 200);
});

for (const description of [
  'Refresh token is invalid or has already been claimed by another client.',
  'Refresh token expired.',
]) {
  test(`a refresh token of which Dex says "${description}" ends the session`, async () => {
    const browser = await newSession('ann');
    const error = { error: 'invalid_request', error_description: description };
    provider.answer = { status: 400, body: JSON.stringify(error) };
    const answer = await refresh(browser);
    provider.answer = undefined;
    assert.equal(answer.status, 401);
    assert.equal(((await answer.json()) as { code: string }).code, 'refresh_refused');
    assert.equal(await isSignedIn(browser), false);
  });
}
