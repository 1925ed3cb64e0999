import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeJwt } from 'jose';
import { startSignInProduct } from '#test/support/identity/signed-in-product.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { withoutPrivilege, withoutTrigger } from '#test/support/database/faults.ts';
import { updateRows } from '#test/support/database/rows.ts';
import { hourMs } from '#platform/runtime/time-units.ts';
import { insertSignedOut } from './signed-out-store.ts';

const product = await startSignInProduct();
const { publicUrl: baseUrl, provider } = product;
const { host } = new URL(baseUrl);

const post = { method: 'POST' };

test('the log has an audit line with the address for each sign-in and sign-out', async () => {
  const browser = await product.newSession('ida');
  assert.equal((await browser.fetch(`${baseUrl}/api/auth/logout?everywhere=1`, post)).status, 204);
  const lines = product
    .logged()
    .split('\n')
    .filter((line) => line.includes('"cognitoId":"Forge_ida"'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  assert.deepEqual(
    lines.map(({ audit, everywhere, ip }) => ({ audit, everywhere, ip })),
    [
      { audit: 'signed-in', everywhere: undefined, ip: '127.0.0.1' },
      { audit: 'signed-out', everywhere: true, ip: '127.0.0.1' },
    ],
  );
});

test('a sign-out needs cookies and one of our own pages', async () => {
  assert.equal((await fetch(`${baseUrl}/api/auth/logout`, post)).status, 401);
  const browser = await product.newSession('ann');
  const foreign = { ...post, headers: { origin: 'https://evil.example' } };
  assert.equal((await browser.fetch(`${baseUrl}/api/auth/logout`, foreign)).status, 403);
  assert.equal((await browser.fetch(`${baseUrl}/api/user`)).status, 200);
});

test('a sign-out everywhere without a valid ID token ends no session', async () => {
  const headers = { cookie: 'refreshToken=unknown' };
  const answer = await fetch(`${baseUrl}/api/auth/logout?everywhere=1`, { ...post, headers });
  assert.equal(answer.status, 401);
  assert.deepEqual(answer.headers.getSetCookie(), []);
});

test('a failed sign-out leaves the cookies and can be repeated', async () => {
  const browser = await product.newSession('ivo');
  const old = browser.copy();
  const signOut = () => browser.fetch(`${baseUrl}/api/auth/logout?everywhere=1`, post);
  assert.equal((await withoutPrivilege(product.database, 'insert', 'signed_out', signOut)).status, 500);
  assert.equal((await signOut()).status, 204);
  assert.equal((await old.fetch(`${baseUrl}/api/user`)).status, 401);
});

test('a session with expired tokens can still be signed out', async () => {
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

test('a session that is signed out during a refresh stays ended, and the new tokens are revoked', async () => {
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

test('a sign-out ends tokens that a refresh returned just before', async () => {
  const browser = await product.newSession('fred');
  const tab = browser.copy();
  assert.equal((await tab.fetch(`${baseUrl}/api/auth/refresh`, post)).status, 200);
  assert.equal((await browser.fetch(`${baseUrl}/api/auth/logout`, post)).status, 204);
  assert.equal((await tab.fetch(`${baseUrl}/api/user`)).status, 401);
});

test('a sign-out everywhere ends a concurrent refresh in another browser, and the new tokens are revoked', async () => {
  const [browser, other] = [await product.newSession('flo'), await product.newSession('flo')];
  const before = provider.revoked.length;
  const [exchanged, goOn] = [Promise.withResolvers<string>(), Promise.withResolvers<void>()];
  provider.tamper = async (body) => {
    exchanged.resolve(body.refresh_token ?? '');
    await goOn.promise;
    return body;
  };
  const refreshing = browser.fetch(`${baseUrl}/api/auth/refresh`, post);
  const successor = await exchanged.promise;
  provider.tamper = undefined;
  assert.equal((await other.fetch(`${baseUrl}/api/auth/logout?everywhere=1`, post)).status, 204);
  goOn.resolve();
  assert.equal((await refreshing).status, 401);
  assert.ok(provider.revoked.slice(before).includes(successor));
});

test('a sign-out just after a refresh in another tab revokes the tokens of that tab', async () => {
  const browser = await product.newSession('gus');
  const tab = browser.copy();
  assert.equal((await tab.fetch(`${baseUrl}/api/auth/refresh`, post)).status, 200);
  assert.equal((await browser.fetch(`${baseUrl}/api/auth/logout`, post)).status, 204);
  const refreshToken = tab.cookies.get(`${host} refreshToken`)?.value ?? '';
  assert.ok(provider.revoked.includes(refreshToken));
  assert.equal((await tab.fetch(`${baseUrl}/api/auth/refresh`, post)).status, 401);
});

test('a sign-out whose notification is lost is found by the next poll', async () => {
  const browser = await product.newSession('hal');
  const { origin_jti: sessionId, iat } = decodeJwt(browser.cookies.get(`${host} idToken`)?.value ?? '');
  const signOut = { entry: `session:${String(sessionId)}`, expiresAt: new Date(Date.now() + hourMs) };
  await withoutTrigger(product.database, 'signed_out', 'signed_out_announced', async () => {
    await product.database.api.withScope('service', (tx) => insertSignedOut(tx, [signOut]));
    // The session may have begun in the same second.
    const after = { signed_out_at: new Date((iat! + 2) * 1000) };
    await updateRows(product.database, 'signed_out', after, { entry: signOut.entry });
  });
  await waitUntil(
    'the poll',
    async () => (await browser.fetch(`${baseUrl}/api/user`)).status === 401,
    10_000,
  );
});

test('a person can sign in again at once after a sign-out everywhere', async () => {
  for (let round = 0; round < 3; round++) {
    const browser = await product.newSession('una');
    assert.equal((await browser.fetch(`${baseUrl}/api/user`)).status, 200);
    const out = await browser.fetch(`${baseUrl}/api/auth/logout?everywhere=1`, post);
    assert.equal(out.status, 204);
  }
  const again = await product.newSession('una');
  assert.equal((await again.fetch(`${baseUrl}/api/user`)).status, 200);
});
