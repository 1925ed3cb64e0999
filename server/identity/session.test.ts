import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeJwt } from 'jose';
import { makeCookieClient, signIn } from '#test/support/cookie-client.ts';
import { startSignInProduct } from '#test/support/signed-in-product.ts';
import { waitUntil } from '#test/support/wait-until.ts';

const product = await startSignInProduct();
const { publicUrl: baseUrl, provider } = product;
const { host } = new URL(baseUrl);

const post = { method: 'POST' };
const cookie = (attributes: string): RegExp =>
  new RegExp(`^[A-Za-z]+=[^;]*; ${attributes}; HttpOnly; Secure; SameSite=Lax$`);

test('a sign-in at another provider begins a session, with its cookies as the contract has them', async () => {
  const browser = makeCookieClient();
  const back = await signIn(browser, baseUrl, 'ann', '/runs?status=failed');
  assert.equal(back.status, 302);
  assert.equal(back.headers.get('location'), `${baseUrl}/runs?status=failed`);
  assert.equal(back.headers.get('cache-control'), 'no-store');
  assert.equal(back.headers.get('referrer-policy'), 'no-referrer');
  const [spent = '', access = '', id = '', refresh = ''] = back.headers.getSetCookie();
  assert.match(spent, /^signIn=; Max-Age=0; Path=\/api\/auth\/callback;/);
  assert.match(access, cookie('Max-Age=2592000; Path=/api'));
  assert.match(id, cookie('Max-Age=2592000; Path=/api'));
  assert.match(refresh, cookie('Max-Age=2592000; Path=/api/auth'));

  const user = await browser.fetch(`${baseUrl}/api/user`);
  const { name, email, forgeLogin } = (await user.json()) as Record<string, unknown>;
  assert.deepEqual({ name, email, forgeLogin }, { name: 'ann', email: 'ann@example.com', forgeLogin: 'ann' });
});

test('a refresh goes on with the session, by new cookies', async () => {
  const browser = makeCookieClient();
  await signIn(browser, baseUrl, 'ann');
  const before = new Map(browser.cookies);
  const refreshed = await browser.fetch(`${baseUrl}/api/auth/refresh`, post);
  assert.equal(refreshed.status, 200);
  const { expiresIn } = (await refreshed.json()) as { expiresIn: number };
  assert.ok(expiresIn > 3500 && expiresIn <= 3600, String(expiresIn));
  for (const [name, { value }] of before) {
    if (name.endsWith('Token')) assert.notEqual(browser.cookies.get(name)?.value, value, name);
  }
  assert.equal((await browser.fetch(`${baseUrl}/api/user`)).status, 200);
});

test('after sign-out the old cookies open nothing, and the provider was told', async () => {
  const browser = makeCookieClient();
  await signIn(browser, baseUrl, 'ann');
  const old = browser.copy();
  const out = await browser.fetch(`${baseUrl}/api/auth/logout`, post);
  assert.equal(out.status, 204);
  assert.equal(browser.cookies.has(`${host} accessToken`), false);
  const there = new URL(out.headers.get('x-sign-out-url') ?? '');
  assert.equal(there.origin + there.pathname, `${provider.issuer}/session/end`);
  assert.equal(there.searchParams.get('post_logout_redirect_uri'), baseUrl);
  assert.equal((await old.fetch(`${baseUrl}/api/user`)).status, 401);
  const refreshToken = old.cookies.get(`${host} refreshToken`)?.value ?? '';
  assert.deepEqual(provider.revoked, [refreshToken]);

  const calls = provider.tokenCalls.length;
  const again = await old.fetch(`${baseUrl}/api/auth/refresh`, post);
  assert.equal(again.status, 401);
  assert.equal(((await again.json()) as { code: string }).code, 'refresh_refused');
  assert.equal(provider.tokenCalls.length, calls, 'an ended session never reaches the provider');
  assert.equal(old.cookies.has(`${host} refreshToken`), false);
});

test('without a refresh token the provider is not asked', async () => {
  const calls = provider.tokenCalls.length;
  const answer = await fetch(`${baseUrl}/api/auth/refresh`, post);
  assert.equal(answer.status, 401);
  assert.equal(((await answer.json()) as { code: string }).code, 'missing_refresh_token');
  assert.equal(provider.tokenCalls.length, calls);
});

test('nothing of a session is in the log', async () => {
  const browser = makeCookieClient();
  await signIn(browser, baseUrl, 'ben');
  await browser.fetch(`${baseUrl}/api/auth/refresh`, post);
  await browser.fetch(`${baseUrl}/api/auth/refresh`, {
    ...post,
    headers: { cookie: 'refreshToken=unknown' },
  });
  const logged = product.logged();
  for (const { value } of browser.cookies.values()) if (value.length > 20) assert.ok(!logged.includes(value));
});

test('who signed in and out, and from where, is in the log', async () => {
  const browser = await product.newSession('ida');
  assert.equal((await browser.fetch(`${baseUrl}/api/auth/logout?everywhere=1`, post)).status, 204);
  const lines = product
    .logged()
    .split('\n')
    .filter((line) => line.includes('"subject":"sub-ida"'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  assert.deepEqual(
    lines.map(({ audit, everywhere, ip }) => ({ audit, everywhere, ip })),
    [
      { audit: 'signed-in', everywhere: undefined, ip: '127.0.0.1' },
      { audit: 'signed-out', everywhere: true, ip: '127.0.0.1' },
    ],
  );
});

test('a cookie that comes twice is nobody’s, and is removed wherever it may lie', async () => {
  const headers = { cookie: 'refreshToken=one; refreshToken=two' };
  const answer = await fetch(`${baseUrl}/api/auth/refresh`, { ...post, headers });
  assert.equal(((await answer.json()) as { code: string }).code, 'missing_refresh_token');
  const paths = answer.headers.getSetCookie().map((line) => /^refreshToken=; .*Path=([^;]*)/.exec(line)?.[1]);
  assert.deepEqual(paths.sort(), ['/', '/api', '/api/auth']);
});

test('signing in again ends the session that was there, but not one that the provider goes on with', async (t) => {
  const browser = makeCookieClient();
  const refreshToken = () => browser.cookies.get(`${host} refreshToken`)?.value ?? '';
  const signInTo = async (sessionId: string): Promise<string> => {
    provider.tamper = async (body, sign) => ({
      ...body,
      id_token: await sign({ ...decodeJwt(body.id_token ?? ''), origin_jti: sessionId }),
    });
    assert.equal((await signIn(browser, baseUrl, 'kim')).status, 302);
    return refreshToken();
  };
  t.after(() => (provider.tamper = undefined));
  const first = await signInTo('a session of kim');
  const second = await signInTo('a session of kim');
  assert.notEqual(first, second);
  await signInTo('another session of kim');
  await waitUntil('the former session to be ended', () => provider.revoked.includes(second));
  assert.ok(!provider.revoked.includes(first));
});

test('signing out needs cookies, and comes from our own pages', async () => {
  assert.equal((await fetch(`${baseUrl}/api/auth/logout`, post)).status, 401);
  const browser = await product.newSession('ann');
  const foreign = { ...post, headers: { origin: 'https://evil.example' } };
  assert.equal((await browser.fetch(`${baseUrl}/api/auth/logout`, foreign)).status, 403);
  assert.equal((await browser.fetch(`${baseUrl}/api/user`)).status, 200);
});

test('a sign-out that fails leaves the cookies, and works when it is tried again', async () => {
  const browser = await product.newSession('ivo');
  const old = browser.copy();
  const signOut = () => browser.fetch(`${baseUrl}/api/auth/logout?everywhere=1`, post);
  await product.database.asOwner('revoke insert on signed_out from forgewatch_api');
  assert.equal((await signOut()).status, 500);
  await product.database.asOwner('grant insert on signed_out to forgewatch_api');
  assert.equal((await signOut()).status, 204);
  assert.equal((await old.fetch(`${baseUrl}/api/user`)).status, 401);
});

test('a session whose tokens have expired can still be signed out', async () => {
  const hasty = await startSignInProduct({}, { accessTokenSeconds: 2 });
  const browser = await hasty.newSession('ann');
  await waitUntil('the tokens to expire', async () => {
    return (await browser.fetch(`${hasty.publicUrl}/api/user`)).status === 401;
  });
  const old = browser.copy();
  assert.equal((await browser.fetch(`${hasty.publicUrl}/api/auth/logout`, post)).status, 204);
  assert.equal((await old.fetch(`${hasty.publicUrl}/api/auth/refresh`, post)).status, 401);
  assert.deepEqual(hasty.provider.tokenCalls, ['authorization_code']);
  assert.equal(hasty.provider.revoked.length, 1);
});

test('sixty socket tokens a minute are enough for one person', async () => {
  const browser = await product.newSession('zoe');
  const statuses = [];
  for (let count = 0; count < 61; count++)
    statuses.push((await browser.fetch(`${baseUrl}/api/auth/ws-token`)).status);
  assert.deepEqual([new Set(statuses.slice(0, 60)), statuses[60]], [new Set([200]), 429]);
  const other = await product.newSession('yan');
  assert.equal((await other.fetch(`${baseUrl}/api/auth/ws-token`)).status, 200);
});

test('a session that is signed out while it is refreshed stays ended, and what came of it is given back', async () => {
  const browser = await product.newSession('fay');
  const tab = browser.copy();
  const before = provider.revoked.length;
  const [exchanged, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  provider.tamper = async (body) => {
    exchanged.resolve();
    await goOn.promise;
    return body;
  };
  const refreshing = tab.fetch(`${baseUrl}/api/auth/refresh`, post);
  await exchanged.promise;
  provider.tamper = undefined;
  assert.equal((await browser.fetch(`${baseUrl}/api/auth/logout`, post)).status, 204);
  goOn.resolve();
  const refreshed = await refreshing;
  assert.equal(refreshed.status, 401);
  assert.equal(tab.cookies.has(`${host} refreshToken`), false);
  assert.equal(new Set(provider.revoked.slice(before)).size, 2, 'the token that came and its successor');
});

test('a sign-out just after a refresh in another tab ends what that tab was given', async () => {
  const browser = await product.newSession('gus');
  const tab = browser.copy();
  assert.equal((await tab.fetch(`${baseUrl}/api/auth/refresh`, post)).status, 200);
  assert.equal((await browser.fetch(`${baseUrl}/api/auth/logout`, post)).status, 204);
  const refreshToken = tab.cookies.get(`${host} refreshToken`)?.value ?? '';
  assert.ok(provider.revoked.includes(refreshToken));
  assert.equal((await tab.fetch(`${baseUrl}/api/auth/refresh`, post)).status, 401);
});

test('a sign-out whose announcement is lost is found by the next poll', async () => {
  const browser = await product.newSession('hal');
  const { origin_jti: sessionId, iat } = decodeJwt(browser.cookies.get(`${host} idToken`)?.value ?? '');
  await product.database.asOwner('alter table signed_out disable trigger signed_out_announced');
  await product.database.asOwner(
    `insert into signed_out (entry, signed_out_at, expires_at, session_id)
     values ('session:' || $1, to_timestamp($2) + interval '2 seconds', now() + interval '1 hour', $1)`,
    [sessionId, iat],
  );
  await product.database.asOwner('alter table signed_out enable trigger signed_out_announced');
  await waitUntil(
    'the poll',
    async () => (await browser.fetch(`${baseUrl}/api/user`)).status === 401,
    10_000,
  );
});

test('whoever signs out everywhere can sign in again at once', async () => {
  for (let round = 0; round < 3; round++) {
    const browser = await product.newSession('una');
    assert.equal((await browser.fetch(`${baseUrl}/api/user`)).status, 200);
    const out = await browser.fetch(`${baseUrl}/api/auth/logout?everywhere=1`, post);
    assert.equal(out.status, 204);
  }
  const again = await product.newSession('una');
  assert.equal((await again.fetch(`${baseUrl}/api/user`)).status, 200);
});
