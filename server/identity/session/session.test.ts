import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { decodeJwt } from 'jose';
import { makeCookieClient, signIn } from '#test/support/identity/cookie-client.ts';
import { startSignInProduct } from '#test/support/identity/signed-in-product.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const product = await startSignInProduct();
const { publicUrl: baseUrl, provider } = product;
const { host } = new URL(baseUrl);

const post = { method: 'POST' };
const cookie = (attributes: string): RegExp =>
  new RegExp(`^[A-Za-z]+=[^;]*; ${attributes}; HttpOnly; Secure; SameSite=Lax$`);

test('a sign-in at an independent provider begins a session with the documented cookies', async () => {
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

test('a refresh continues the session with new cookies', async () => {
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

test('a sign-out invalidates the cookies and revokes the refresh token', async () => {
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

test('a session without a refresh token does not ask the provider', async () => {
  const calls = provider.tokenCalls.length;
  const answer = await fetch(`${baseUrl}/api/auth/refresh`, post);
  assert.equal(answer.status, 401);
  assert.equal(((await answer.json()) as { code: string }).code, 'missing_refresh_token');
  assert.equal(provider.tokenCalls.length, calls);
});

test('the log contains nothing of a session', async () => {
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

test('a repeated cookie is ignored and removed under every path', async () => {
  const headers = { cookie: 'refreshToken=one; refreshToken=two' };
  const answer = await fetch(`${baseUrl}/api/auth/refresh`, { ...post, headers });
  assert.equal(((await answer.json()) as { code: string }).code, 'missing_refresh_token');
  const paths = answer.headers.getSetCookie().map((line) => /^refreshToken=; .*Path=([^;]*)/.exec(line)?.[1]);
  assert.deepEqual(paths.sort(), ['/', '/api', '/api/auth']);
});

test('a repeated sign-in ends the previous session, except one that the provider continues', async (t) => {
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

test('a person gets at most sixty socket tokens a minute, and nobody else is affected', async () => {
  const browser = await product.newSession('zoe');
  const startedAt = performance.now();
  let granted = 0;
  let waitSeconds = 0;
  // The limit of a second refuses first, for a second at most.
  while (waitSeconds <= 1) {
    const answer = await browser.fetch(`${baseUrl}/api/auth/ws-token`);
    if (answer.ok) granted += 1;
    else waitSeconds = Number(answer.headers.get('retry-after'));
    if (!answer.ok && waitSeconds <= 1) await delay(waitSeconds * 1000);
  }
  // A busy machine may need more than one minute for sixty of them.
  assert.ok(granted >= 60, `${granted} granted`);
  if (performance.now() - startedAt < 60_000) assert.equal(granted, 60);
  const other = await product.newSession('yan');
  assert.equal((await other.fetch(`${baseUrl}/api/auth/ws-token`)).status, 200);
});
