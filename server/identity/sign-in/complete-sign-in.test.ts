import assert from 'node:assert/strict';
import { test } from 'node:test';
import { beginSignIn, makeCookieClient, passProvider } from '#test/support/identity/cookie-client.ts';
import {
  bound,
  changed,
  encode,
  follow,
  newAddress,
  plain,
  refusal,
  remembersSignIn,
} from '#test/support/identity/sign-in-attempts.ts';
import { startSignInProduct } from '#test/support/identity/signed-in-product.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

// Behind a trusted proxy each test has an address of its own, so that none uses up another's sign-ins.
const behindProxy = { TRUSTED_PROXIES: '127.0.0.0/8' };
const [strict, compat] = [
  await startSignInProduct({ ...behindProxy, SIGN_IN_BINDING: 'strict' }),
  await startSignInProduct({
    ...behindProxy,
    OIDC_AUTHORIZE_PARAMS: 'identity_provider=Forge',
  }),
];
const products = { strict, compat };

for (const [what, change, expected] of [
  ['no code', (query) => query.delete('code'), [400, 'missing_code']],
  [
    'a code of more than 2048 characters',
    (query) => query.set('code', 'c'.repeat(2049)),
    [400, 'missing_code'],
  ],
  ['two codes', (query) => query.append('code', 'other'), [400, 'missing_code']],
  ['two states', (query) => query.append('state', 'other'), [400, 'invalid_state']],
  ['two errors', (query) => (query.append('error', 'a'), query.append('error', 'b')), [400, 'invalid_state']],
  ['no state', (query) => query.delete('state'), [400, 'invalid_state']],
  ['a state that is no JSON', (query) => query.set('state', '!!!'), [400, 'invalid_state']],
  [
    'the answer of another provider',
    (query) => query.set('iss', 'https://evil.example'),
    [400, 'invalid_state'],
  ],
  ['an error of the provider', (query) => query.set('error', 'access_denied'), [400, 'sign_in_refused']],
  ['a code nobody gave out', (query) => query.set('code', 'unknown'), [502, 'identity_provider_failed']],
  [
    'a return address that is not ours',
    (query) => query.set('state', encode({ redirect_url: 'https://evil.example/' })),
    [400, 'redirect_not_allowed'],
  ],
  [
    "another browser's one-time value",
    (query) => query.set('state', encode({ redirect_url: '/', n: 'another' })),
    [403, 'sign_in_not_bound'],
  ],
] as [string, (query: URLSearchParams) => unknown, [number, string]][]) {
  test(`${what}: refused, and no session begins`, async () => {
    const { browser, callbackUrl } = await bound(strict);
    const url = changed(callbackUrl, change);
    assert.deepEqual(await refusal(browser, url), expected);
    const isItsOwn = url.searchParams.get('state') === callbackUrl.searchParams.get('state');
    assert.equal(remembersSignIn(browser), !isItsOwn, 'good for its own answer, once');
  });
}

test('two tabs that sign in use their own responses, each of them once', async () => {
  const { browser, callbackUrl: first } = await bound(strict);
  const { callbackUrl: second } = await beginSignIn(browser, strict.publicUrl, 'ann');
  assert.deepEqual(await refusal(browser, first), [403, 'sign_in_not_bound']);
  const { status, hasTokens } = await follow(browser, second);
  assert.deepEqual([status, hasTokens], [302, true]);
  assert.equal(remembersSignIn(browser), false);
  assert.deepEqual(await refusal(browser, second), [403, 'sign_in_not_bound']);
});

test('a question mark in the response of the provider cuts nothing off', async () => {
  const { browser, callbackUrl } = await bound(strict);
  const url = new URL(
    `${callbackUrl.pathname}?session_state=a?b&${callbackUrl.search.slice(1)}`,
    callbackUrl,
  );
  assert.equal((await follow(browser, url)).status, 302);
});

test("the authorization URL keeps the operator's own query", async () => {
  const config = (await (await fetch(`${compat.publicUrl}/config.json`)).json()) as {
    authorizeUrl: string;
  };
  assert.equal(new URL(config.authorizeUrl).searchParams.get('identity_provider'), 'Forge');
});

test('a sign-in without a return address opens the first page', async () => {
  const browser = makeCookieClient();
  const config = (await (await fetch(`${compat.publicUrl}/config.json`)).json()) as {
    authorizeUrl: string;
  };
  const url = new URL(config.authorizeUrl);
  url.searchParams.set('state', encode({}));
  const { location } = await follow(browser, await passProvider(browser, url, 'ann'));
  assert.equal(location, `${compat.publicUrl}/`);
});

test('a failed sign-in opens the sign-in page with only the error code', async () => {
  const { browser, callbackUrl } = await bound(strict);
  const url = changed(callbackUrl, (query) => query.set('error', '<script>'));
  const { status, location } = await follow(browser, url, 'text/html,application/xhtml+xml');
  assert.deepEqual([status, location], [302, `${strict.publicUrl}/sign-in?error=sign_in_refused`]);
});

for (const [mode, cookie, expected] of [
  ['strict', 'own', [302, undefined]],
  ['strict', 'none', [403, 'sign_in_not_bound']],
  ['compat', 'own', [302, undefined]],
  ['compat', 'none', [302, undefined]],
] as const) {
  test(`binding ${mode}, cookie ${cookie}: ${expected.join(' ')}`, async () => {
    const product = products[mode];
    const { browser, callbackUrl } = await (cookie === 'own' ? bound(product) : plain(product));
    const { status, code, hasTokens } = await follow(browser, callbackUrl);
    assert.deepEqual([status, code, hasTokens], [...expected, status === 302]);
  });
}

for (const mode of ['strict', 'compat'] as const) {
  test(`binding ${mode}: a sign-in that somebody else began is not taken over`, async () => {
    const product = products[mode];
    const attacker = await bound(product, 'mallory');
    assert.deepEqual(await refusal(makeCookieClient(), attacker.callbackUrl), [403, 'sign_in_not_bound']);
    const { browser } = await bound(product, 'ann');
    assert.deepEqual(await refusal(browser, attacker.callbackUrl), [403, 'sign_in_not_bound']);
  });
}

test("a bound sign-in ends another person's session and replaces it, and an unbound one does not", async () => {
  const browser = await compat.newSession('ann');
  const mallory = await plain(compat, 'mallory');
  assert.deepEqual(await refusal(browser, mallory.callbackUrl), [403, 'sign_in_not_bound']);
  const same = await plain(compat, 'ann');
  assert.equal((await follow(browser, same.callbackUrl)).status, 302);

  const { host } = new URL(compat.publicUrl);
  const former = browser.cookies.get(`${host} refreshToken`)?.value ?? '';
  const other = makeCookieClient();
  const { callbackUrl } = await beginSignIn(other, compat.publicUrl, 'ben');
  for (const [name, value] of other.cookies) browser.cookies.set(name, value);
  assert.equal((await follow(browser, callbackUrl)).status, 302);
  const user = (await (await browser.fetch(`${compat.publicUrl}/api/user`)).json()) as { name: string };
  assert.equal(user.name, 'ben');
  assert.ok(compat.provider.revoked.includes(former));
});

test('an unbound sign-in does not replace an expired session that can be renewed', async () => {
  const hasty = await startSignInProduct(behindProxy, { accessTokenSeconds: 2 });
  const { host } = new URL(hasty.publicUrl);
  const browser = await hasty.newSession('ann');
  await waitUntil('the tokens to expire', async () => {
    return (await browser.fetch(`${hasty.publicUrl}/api/user`)).status === 401;
  });
  const mallory = await plain(hasty, 'mallory');
  assert.deepEqual(await refusal(browser, mallory.callbackUrl), [403, 'sign_in_not_bound']);
  const unknown = browser.copy();
  unknown.cookies.delete(`${host} idToken`);
  assert.deepEqual(await refusal(unknown, (await plain(hasty, 'mallory')).callbackUrl), [
    403,
    'sign_in_not_bound',
  ]);
  browser.cookies.delete(`${host} refreshToken`);
  const next = await plain(hasty, 'ben');
  assert.equal((await follow(browser, next.callbackUrl)).status, 302);
});

test('the audit line of a sign-in says whether this browser started it', async () => {
  const lines = (): unknown[] =>
    compat
      .logged()
      .split('\n')
      .filter((line) => line.includes('"audit":"signed-in"') && line.includes('Forge_audited'))
      .map((line) => (JSON.parse(line) as { isBound: unknown }).isBound);
  const unbound = await plain(compat, 'audited');
  await follow(unbound.browser, unbound.callbackUrl);
  const own = await bound(compat, 'audited');
  await follow(own.browser, own.callbackUrl);
  assert.deepEqual(lines(), [false, true]);
});

test('host names in the request do not change the addresses in responses', async () => {
  const { browser, callbackUrl } = await bound(strict);
  const { host } = new URL(strict.publicUrl);
  const forged = {
    'x-forwarded-host': 'evil.example',
    'x-forwarded-proto': 'https',
    forwarded: 'host=evil.example',
  };
  const cookie = [...browser.cookies]
    .filter(([name]) => name.startsWith(`${host} `))
    .map(([name, { value }]) => `${name.split(' ')[1]}=${value}`)
    .join('; ');
  const answer = await fetch(callbackUrl, {
    redirect: 'manual',
    headers: { ...forged, cookie, 'x-forwarded-for': newAddress() },
  });
  assert.equal(answer.headers.get('location'), `${strict.publicUrl}/`);
  const config = await (await fetch(`${strict.publicUrl}/config.json`, { headers: forged })).text();
  assert.ok(!config.includes('evil.example'));
});

test('the twenty-first sign-in from an address within a minute is refused', async () => {
  const headers = { 'x-forwarded-for': newAddress() };
  const url = `${strict.publicUrl}/api/auth/callback`;
  for (let count = 0; count < 20; count++) assert.equal((await fetch(url, { headers })).status, 400);
  const limited = await fetch(url, { headers });
  assert.equal(limited.status, 429);
  assert.equal(limited.headers.get('content-type'), 'application/problem+json');
  assert.ok(Number(limited.headers.get('retry-after')) > 0);
  assert.equal(((await limited.json()) as { code: string }).code, 'too_many_requests');
  assert.equal((await fetch(url, { headers: { 'x-forwarded-for': newAddress() } })).status, 400);
  const inBrowser = await fetch(url, { redirect: 'manual', headers: { ...headers, accept: 'text/html' } });
  assert.equal(inBrowser.headers.get('location'), `${strict.publicUrl}/sign-in?error=too_many_requests`);
  assert.equal(inBrowser.headers.get('cache-control'), 'no-store');
});
