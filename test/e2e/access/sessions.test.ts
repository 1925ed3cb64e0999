import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { makeCookieClient, signIn, type CookieClient } from '#test/support/identity/cookie-client.ts';
import { startIndependentProvider } from '#test/support/identity/independent-provider.ts';
import { productEnv } from '#test/support/product/product-env.ts';
import { startProduct } from '#test/support/product/product-process.ts';
import { createTestDatabase } from '#test/support/database/test-database.ts';
import { readRows } from '#test/support/database/rows.ts';
import { freePort } from '#platform/runtime/processes/free-port.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { makeTemporaryDirectory } from '#test/support/product/temporary-directory.ts';

const publicPort = await freePort();
const publicUrl = `http://localhost:${publicPort}`;
const database = await createTestDatabase();
const dataDir = await makeTemporaryDirectory();
const provider = await startIndependentProvider({ redirectUris: [`${publicUrl}/api/auth/callback`] });
const env = {
  ...productEnv(database.url, dataDir),
  PUBLIC_URL: publicUrl,
  OIDC_ISSUER: provider.issuer,
  OIDC_CLIENT_ID: provider.clientId,
  OIDC_CLIENT_SECRET: provider.clientSecret,
};
const processes = await Promise.all([
  startProduct('api', { ...env, PORT: String(publicPort) }),
  startProduct('api', { ...env, PORT: '0' }),
]);
after(async () => {
  await Promise.all(processes.map((each) => each.kill()));
  await provider.stop();
});
/** The same product behind two addresses; `localhost` for both, since cookies do not tell ports apart. */
const addresses = processes.map(({ ready }) => `http://localhost:${new URL(ready).port}`);
const [first = '', second = ''] = addresses;

const post = { method: 'POST' };

/** What a browser would send to either of them. */
function cookieHeader(client: CookieClient): { cookie: string } {
  const pairs = [...client.cookies].filter(([name]) => name.startsWith(`localhost:${publicPort} `));
  return { cookie: pairs.map(([name, { value }]) => `${name.split(' ')[1]}=${value}`).join('; ') };
}

async function newSession(login: string): Promise<{ cookie: string }> {
  const browser = makeCookieClient();
  assert.equal((await signIn(browser, first, login)).status, 302);
  return cookieHeader(browser);
}

const statusAt = async (address: string, headers: { cookie: string }): Promise<number> =>
  (await fetch(`${address}/api/user`, { headers })).status;

test('fifty refreshes at once on two processes ask the provider once, and all go on with the same session', async () => {
  const headers = await newSession('ann');
  const before = provider.tokenCalls.length;
  provider.tokenDelayMs = 300;
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      fetch(`${addresses[index % 2]}/api/auth/refresh`, { ...post, headers }),
    ),
  );
  provider.tokenDelayMs = 0;
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  assert.deepEqual(provider.tokenCalls.slice(before), ['refresh_token']);
  const cookies = answers.map(({ headers }) =>
    headers
      .getSetCookie()
      .map((line) => line.split(';')[0])
      .join('; '),
  );
  assert.equal(new Set(cookies).size, 1);
  const next = { cookie: cookies[0] ?? '' };
  assert.equal(await statusAt(second, next), 200);
  assert.equal((await fetch(`${second}/api/auth/refresh`, { ...post, headers: next })).status, 200);
});

test('a session that ended on one process soon opens nothing on the other', async () => {
  const headers = await newSession('ben');
  assert.equal(await statusAt(second, headers), 200);
  assert.equal((await fetch(`${first}/api/auth/logout`, { ...post, headers })).status, 204);
  await waitUntil(
    'the second process to refuse',
    async () => (await statusAt(second, headers)) === 401,
    10_000,
  );
  assert.equal((await fetch(`${second}/api/auth/refresh`, { ...post, headers })).status, 401);
});

test('signing out everywhere ends every session of the person, also their refresh, and nobody else', async () => {
  const [here, there, other] = [await newSession('cid'), await newSession('cid'), await newSession('dee')];
  const ended = await fetch(`${first}/api/auth/logout?everywhere=1`, { ...post, headers: here });
  assert.equal(ended.status, 204);
  await waitUntil('the other session to end', async () => (await statusAt(second, there)) === 401);
  const calls = provider.tokenCalls.length;
  assert.equal((await fetch(`${second}/api/auth/refresh`, { ...post, headers: there })).status, 401);
  assert.equal(provider.tokenCalls.length, calls);
  // Its refresh token alone cannot show when the session began.
  const refreshToken = /refreshToken=[^;]*/.exec(there.cookie)?.[0] ?? '';
  const bare = await fetch(`${second}/api/auth/refresh`, { ...post, headers: { cookie: refreshToken } });
  assert.equal(bare.status, 401);
  assert.equal(await statusAt(second, other), 200);
  const nextSecond = (Math.floor(Date.now() / 1000) + 1) * 1000;
  await waitUntil('tokens to be newer than the sign-out', () => Date.now() > nextSecond);
  assert.equal(await statusAt(second, await newSession('cid')), 200, 'who signs in again is in');
});

test('while the provider is away sessions go on, nobody is signed out, and a refresh says try again', async () => {
  const headers = await newSession('eve');
  await provider.stop();
  assert.equal(await statusAt(first, headers), 200);
  const answer = await fetch(`${first}/api/auth/refresh`, { ...post, headers });
  assert.equal(answer.status, 503);
  assert.equal(((await answer.json()) as { code: string }).code, 'identity_provider_unavailable');
  assert.ok(Number(answer.headers.get('retry-after')) > 0);
  assert.deepEqual(answer.headers.getSetCookie(), []);
  await provider.start();
  await waitUntil('the failure to be forgotten', async () => {
    const failed = { session_id: null };
    const rows = await readRows<{ outcome_until: Date | null }>(database, 'session_refresh', failed);
    return rows.every(({ outcome_until: end }) => Number(end) <= Date.now());
  });
  assert.equal((await fetch(`${first}/api/auth/refresh`, { ...post, headers })).status, 200);
});
