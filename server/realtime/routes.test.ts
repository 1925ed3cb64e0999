import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { decodeJwt } from 'jose';
import { WebSocket } from 'ws';
import type { WsToken } from '#contract/members/identity.ts';
import type { CookieClient } from '#test/support/identity/cookie-client.ts';
import { startSignInProduct } from '#test/support/identity/signed-in-product.ts';
import { realtimePolicy } from './policy.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const product = await startSignInProduct();
const { publicUrl: baseUrl } = product;
const tokenUrl = `${baseUrl}/api/auth/ws-token`;

async function fetchToken(browser: CookieClient): Promise<WsToken> {
  const answer = await browser.fetch(tokenUrl);
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get('cache-control'), 'no-store');
  return (await answer.json()) as WsToken;
}

/** Resolves once the socket is open; rejects with the status when it is refused. */
async function open({ url, token }: WsToken): Promise<{ ws: WebSocket; closed: Promise<number> }> {
  const ws = new WebSocket(`${url}?token=${token}&channel=workflows`);
  const closed = once(ws, 'close').then(([code]) => code as number);
  closed.catch(() => {});
  await once(ws, 'open');
  return { ws, closed };
}

const signOut = (browser: CookieClient, query = '') =>
  browser.fetch(`${baseUrl}/api/auth/logout${query}`, { method: 'POST' });

test('nobody gets a token without a session', async () => {
  assert.equal((await fetch(tokenUrl)).status, 401);
});

test("sign-out ends the session's sockets at once, and its tokens open no more; other sessions stay", async () => {
  const [here, there] = [await product.newSession('ann'), await product.newSession('ann')];
  const [mine, other] = [await open(await fetchToken(here)), await open(await fetchToken(there))];
  const kept = await fetchToken(here);
  const startedAt = performance.now();
  assert.equal((await signOut(here)).status, 204);
  assert.equal(await mine.closed, 4401);
  assert.ok(
    performance.now() - startedAt < realtimePolicy.reconcileEveryMs / 2,
    'by the announcement, not by the comparison with the database',
  );
  await assert.rejects(open(kept), /401/);
  assert.equal(other.ws.readyState, WebSocket.OPEN);

  const last = await fetchToken(there);
  assert.equal((await signOut(there, '?everywhere=1')).status, 204);
  assert.equal(await other.closed, 4401);
  await assert.rejects(open(last), /401/);
});

test('after sign-out everywhere a new sign-in gets live updates again', async () => {
  const first = await product.newSession('ben');
  const opened = await open(await fetchToken(first));
  await signOut(first, '?everywhere=1');
  assert.equal(await opened.closed, 4401);
  // Tokens tell their time in seconds: those of the second of the sign-out count as older than it.
  const second = Math.floor(Date.now() / 1000);
  await waitUntil('the next second', () => Date.now() / 1000 > second + 1);
  const renewed = await product.newSession('ben');
  const again = await open(await fetchToken(renewed));
  assert.equal(again.ws.readyState, WebSocket.OPEN);
  again.ws.terminate();
});

test('a session that the provider reuses after a sign-out gets live updates at the next sign-in', async (t) => {
  product.provider.tamper = async (body, sign) => ({
    ...body,
    id_token: await sign({ ...decodeJwt(body.id_token ?? ''), origin_jti: 'kept by the provider' }),
  });
  t.after(() => (product.provider.tamper = undefined));
  const first = await product.newSession('eli');
  const opened = await open(await fetchToken(first));
  assert.equal((await signOut(first)).status, 204);
  assert.equal(await opened.closed, 4401);
  const again = await open(await fetchToken(await product.newSession('eli')));
  assert.equal(again.ws.readyState, WebSocket.OPEN);
  again.ws.terminate();
});

test('more than 5 tokens a second for one person are refused, for nobody else', async () => {
  const [cat, dan] = [await product.newSession('cat'), await product.newSession('dan')];
  const startedAt = performance.now();
  const statuses = await Promise.all(
    Array.from({ length: 40 }, async () => (await cat.fetch(tokenUrl)).status),
  );
  const granted = statuses.filter((status) => status === 200).length;
  // A busy machine may need several seconds for them.
  const seconds = Math.floor((performance.now() - startedAt) / 1000) + 1;
  assert.ok(granted >= 5 && granted <= 5 * (seconds + 1), `${granted} in ${seconds} s`);
  assert.ok(statuses.includes(429));
  await fetchToken(dan);
  await waitUntil('the next second', async () => (await cat.fetch(tokenUrl)).ok);
});
