import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeJwt, type JWTPayload } from 'jose';
import { makeCookieClient, signIn } from '#test/support/identity/cookie-client.ts';
import type { IndependentProvider, TokenAnswerBody } from '#test/support/identity/independent-provider.ts';
import { newAddress } from '#test/support/identity/sign-in-attempts.ts';
import { startSignInProduct } from '#test/support/identity/signed-in-product.ts';
import { ageRows } from '#test/support/database/rows.ts';

const product = await startSignInProduct({ TRUSTED_PROXIES: '127.0.0.0/8' });
const { publicUrl, provider } = product;
const { host } = new URL(publicUrl);

type Tamper = NonNullable<IndependentProvider['tamper']>;

/** Everything else in the token stays as the provider made it, signature included. */
const withId =
  (change: (claims: JWTPayload) => JWTPayload): Tamper =>
  async (body, sign) => ({ ...body, id_token: await sign(change(decodeJwt(body.id_token ?? ''))) });
const withAccess =
  (change: (claims: JWTPayload) => JWTPayload): Tamper =>
  async (body, sign) => ({
    ...body,
    access_token: await sign(change(decodeJwt(body.access_token ?? '')), 'at+jwt'),
  });

const without =
  (name: string) =>
  ({ [name]: _dropped, ...rest }: JWTPayload): JWTPayload =>
    rest;

const padded = (claims: JWTPayload): JWTPayload => ({ ...claims, groups: 'x'.repeat(3500) });

/** What a conforming client must not believe, from the OpenID conformance suite's bad providers and ours. */
const badAnswers: Record<string, Tamper> = {
  'an ID token of another issuer': withId((claims) => ({ ...claims, iss: 'https://evil.example' })),
  'an ID token for another client': withId((claims) => ({ ...claims, aud: 'another' })),
  'an ID token that another client asked for': withId((claims) => ({ ...claims, azp: 'another' })),
  'an ID token marked as an access token': async (body, sign) => ({
    ...body,
    id_token: await sign(without('token_use')(decodeJwt(body.id_token ?? '')), 'at+jwt'),
  }),
  'an ID token for nobody': withId(without('aud')),
  'an ID token without issue time': withId(without('iat')),
  'an ID token without subject': withId(without('sub')),
  'an ID token without expiry': withId(without('exp')),
  'an expired ID token': withId((claims) => ({ ...claims, exp: Math.floor(Date.now() / 1000) - 60 })),
  'an ID token of tomorrow': withId((claims) => ({ ...claims, iat: Math.floor(Date.now() / 1000) + 86_400 })),
  'an ID token for another access token': withId((claims) => ({
    ...claims,
    at_hash: 'AAAAAAAAAAAAAAAAAAAAAA',
  })),
  'an ID token of a sign-in 31 days ago': withId((claims) => ({
    ...claims,
    auth_time: Math.floor(Date.now() / 1000) - 31 * 86_400,
  })),
  'an ID token of somebody else': withId((claims) => ({ ...claims, sub: 'sub-mallory' })),
  'an access token for another client': withAccess((claims) => ({ ...claims, client_id: 'another' })),
  'an access token of another issuer': withAccess((claims) => ({ ...claims, iss: 'https://evil.example' })),
  'the ID token as access token': async (body) => ({ ...body, access_token: body.id_token ?? '' }),
  'the access token as ID token': async (body) => ({ ...body, id_token: body.access_token ?? '' }),
  'an opaque access token': async (body) => ({ ...body, access_token: 'opaque' }),
  'no ID token': async ({ id_token: _dropped, ...body }: TokenAnswerBody) => body,
  'a signature that is not the provider’s': async (body) => ({
    ...body,
    id_token: `${(body.id_token ?? '').split('.').slice(0, 2).join('.')}.${'A'.repeat(342)}`,
  }),
  'an unsigned ID token': async (body) => ({ ...body, id_token: unsigned(body.id_token ?? '') }),
};

function unsigned(token: string): string {
  const header = Buffer.from('{"alg":"none"}').toString('base64url');
  return `${header}.${token.split('.')[1]}.`;
}

async function tampered<T>(tamper: Tamper, work: () => Promise<T>): Promise<T> {
  provider.tamper = tamper;
  try {
    return await work();
  } finally {
    provider.tamper = undefined;
  }
}

for (const [what, tamper] of Object.entries({
  ...badAnswers,
  'the nonce of another sign-in': withId((claims) => ({ ...claims, nonce: 'another' })),
  'no nonce': withId(without('nonce')),
})) {
  test(`${what}: no session begins`, async () => {
    const browser = makeCookieClient();
    const answer = await tampered(tamper, () => signIn(browser, publicUrl, 'ann', '/', newAddress()));
    assert.equal(answer.status, 502);
    assert.equal(((await answer.json()) as { code: string }).code, 'identity_provider_failed');
    assert.equal(
      [...browser.cookies.keys()].some((name) => name.startsWith(`${host} `)),
      false,
    );
  });
}

for (const [what, tamper] of Object.entries({
  ...badAnswers,
  'a refresh token longer than a cookie may be': async (body: TokenAnswerBody) => ({
    ...body,
    refresh_token: 'r'.repeat(4090),
  }),
  'tokens of somebody else': (async (body, sign) => {
    const [asBen, andBen] = await Promise.all([
      withId(benInstead)(body, sign),
      withAccess(benInstead)(body, sign),
    ]);
    return { ...asBen, access_token: andBen.access_token ?? '' };
  }) satisfies Tamper,
})) {
  test(`${what} at a refresh: the session ends, and nothing of it is set`, async () => {
    const browser = makeCookieClient();
    assert.equal((await signIn(browser, publicUrl, 'ann', '/', newAddress())).status, 302);
    const answer = await tampered(tamper, () => refresh(browser));
    assert.equal(answer.status, 401);
    assert.equal(((await answer.json()) as { code: string }).code, 'refresh_refused');
    for (const line of answer.headers.getSetCookie()) assert.match(line, /^[a-zA-Z]+=; Max-Age=0;/);
    assert.equal(answer.headers.getSetCookie().length, 3);
  });
}

test('unusable tokens of a refresh are revoked', async () => {
  const browser = makeCookieClient();
  await signIn(browser, publicUrl, 'ann', '/', newAddress());
  let successor = '';
  const ofAnother = withAccess((claims) => ({ ...claims, client_id: 'another' }));
  const tamper: Tamper = (body, sign) => {
    successor = body.refresh_token ?? '';
    return ofAnother(body, sign);
  };
  assert.equal((await tampered(tamper, () => refresh(browser))).status, 401);
  assert.ok(provider.revoked.includes(successor));
});

test('a provider without refresh tokens leaves none of the previous session', async () => {
  const browser = makeCookieClient();
  await signIn(browser, publicUrl, 'ann', '/', newAddress());
  const noRefresh: Tamper = async ({ refresh_token: _dropped, ...body }) => body;
  const answer = await tampered(noRefresh, () => signIn(browser, publicUrl, 'ann', '/', newAddress()));
  assert.equal(answer.status, 302);
  assert.equal(browser.cookies.has(`${host} refreshToken`), false);
  assert.equal((await browser.fetch(`${publicUrl}/api/user`)).status, 200);
});

test('a token longer than a cookie is refused with an error', async () => {
  const browser = makeCookieClient();
  const answer = await tampered(withId(padded), () => signIn(browser, publicUrl, 'ann', '/', newAddress()));
  assert.deepEqual(
    answer.headers.getSetCookie().filter((line) => line.includes('Token')),
    [],
  );
  assert.match(((await answer.json()) as { detail: string }).detail, /idToken .* larger than a cookie/);
});

test('a client that may change identities is refused as a misconfiguration', async () => {
  const admin = withAccess((claims) => ({ ...claims, scope: 'openid aws.cognito.signin.user.admin' }));
  const answer = await tampered(admin, () => signIn(makeCookieClient(), publicUrl, 'ann', '/', newAddress()));
  assert.equal(answer.status, 500);
  assert.equal(((await answer.json()) as { code: string }).code, 'identity_provider_misconfigured');
  assert.match(product.logged(), /aws\.cognito\.signin\.user\.admin/);
});

for (const [what, status, body, expected] of [
  ['a refusal of the client', 401, { error: 'invalid_client' }, [500, 'identity_provider_misconfigured']],
  ['a request that came broken', 400, { error: 'invalid_request' }, [500, 'identity_provider_misconfigured']],
  ['an error of the provider', 500, { error: 'server_error' }, [503, 'identity_provider_unavailable']],
  ['too many requests', 429, {}, [503, 'identity_provider_unavailable']],
  ['a page instead of an answer', 200, undefined, [503, 'identity_provider_unavailable']],
] as const) {
  test(`${what} at a refresh leaves people signed in`, async () => {
    const browser = makeCookieClient();
    await signIn(browser, publicUrl, 'ann', '/', newAddress());
    provider.answer = { status, body: body === undefined ? '<html>' : JSON.stringify(body) };
    const answer = await refresh(browser);
    provider.answer = undefined;
    assert.deepEqual([answer.status, ((await answer.json()) as { code: string }).code], expected);
    assert.deepEqual(answer.headers.getSetCookie(), []);
    assert.equal((await browser.fetch(`${publicUrl}/api/user`)).status, 200);
  });
}

test('one refresh token asks the provider ten times a minute at most', async () => {
  const browser = makeCookieClient();
  await signIn(browser, publicUrl, 'ann', '/', newAddress());
  const { cookies } = browser.copy();
  provider.answer = { status: 503, body: '{}' };
  const before = provider.tokenCalls.length;
  for (let count = 0; count < 10; count++) {
    assert.equal((await refresh(browser)).status, 503);
    await ageRows(product.database, 'session_refresh.outcome_until', '1 day');
  }
  const limited = await refresh(browser);
  provider.answer = undefined;
  assert.equal(limited.status, 429);
  assert.ok(Number(limited.headers.get('retry-after')) > 0);
  assert.equal(provider.tokenCalls.length, before + 10);
  assert.deepEqual(browser.cookies, cookies, 'and people stay signed in');
});

function benInstead(claims: JWTPayload): JWTPayload {
  const { username, ...rest } = {
    ...claims,
    sub: 'sub-ben',
    'cognito:username': 'Forge_ben',
  } as JWTPayload & {
    username?: string;
  };
  return username === undefined ? rest : { ...rest, username: 'Forge_ben' };
}

function refresh(browser: ReturnType<typeof makeCookieClient>): Promise<Response> {
  const headers = { 'x-forwarded-for': newAddress() };
  return browser.fetch(`${publicUrl}/api/auth/refresh`, { method: 'POST', headers });
}
