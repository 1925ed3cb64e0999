import assert from 'node:assert/strict';
import { once } from 'node:events';
import path from 'node:path';
import { after, test } from 'node:test';
import { WebSocket } from 'ws';
import { freePort } from '#platform/runtime/processes/free-port.ts';
import { realtimePolicy } from '#server/realtime/policy.ts';
import { makeTokens } from '#server/realtime/handshake/ws-token.ts';
import { productEnv } from '#test/support/product/product-env.ts';
import { startProduct } from '#test/support/product/product-process.ts';
import { createTestDatabase, testMasterKey } from '#test/support/database/test-database.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { makeMember } from '#test/support/team/people.ts';
import { insertIntegration } from '#test/support/database/insert-integration.ts';
import { makeTemporaryDirectory } from '#test/support/product/temporary-directory.ts';

const database = await createTestDatabase();
const integrationId = await insertIntegration(database);
const userId = await makeMember(database, [integrationId]);
const directory = await makeTemporaryDirectory();

async function startApi(name: string) {
  const port = await freePort();
  const publicUrl = `http://localhost:${port}`;
  const api = await startProduct('api', {
    ...productEnv(database.url, path.join(directory, name)),
    PORT: String(port),
    PUBLIC_URL: publicUrl,
  });
  after(() => api.kill());
  const status = async (page: string) => (await fetch(new URL(page, api.ready))).status;
  assert.equal(await status('/readyz'), 200);
  const connect = async () => {
    const tokens = makeTokens({ keys: [testMasterKey], audience: publicUrl, policy: realtimePolicy });
    const grant = { userId, sessionId: 'test', integrationIds: [integrationId], now: Date.now() };
    const { token } = tokens.mint(grant);
    const socket = new WebSocket(`ws://localhost:${port}/ws?token=${token}&channel=workflows`);
    await once(socket, 'open');
    return socket;
  };
  return { ...api, status, connect };
}

test('a process that drains still takes handshakes and requests while its health check is red', async () => {
  const api = await startApi('notice');
  const before = await api.connect();
  const closed = once(before, 'close');
  api.signal('SIGTERM');
  await waitUntil('the health check to be red', async () => (await api.status('/readyz')) === 503);
  const late = await api.connect();
  assert.equal(await api.status('/healthz'), 200);
  assert.equal(before.readyState, WebSocket.OPEN);
  const [[code], [lateCode]] = await Promise.all([closed, once(late, 'close')]);
  assert.deepEqual([code, lateCode], [1012, 1012]);
  assert.equal(await api.exited, 0);
});

test('a Ctrl-C waits for no load balancer', async () => {
  const [slow, quick] = await Promise.all([startApi('supervisor'), startApi('terminal')]);
  slow.signal('SIGTERM');
  await waitUntil('the health check to be red', async () => (await slow.status('/readyz')) === 503);
  quick.signal('SIGINT');
  const first = await Promise.race([slow.exited.then(() => 'SIGTERM'), quick.exited.then(() => 'SIGINT')]);
  assert.equal(first, 'SIGINT');
  assert.deepEqual(await Promise.all([slow.exited, quick.exited]), [0, 0]);
});
