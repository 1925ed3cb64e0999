import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WebSocket } from 'ws';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { startSignInProduct } from '#test/support/identity/signed-in-product.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const product = await startSignInProduct({ API_REQUESTS_PER_MINUTE: '10', TRUSTED_PROXIES: '127.0.0.0/8' });

test('a person who asks too often gets the time of the next request, and delays nobody else', async () => {
  const [ann, bob] = [await product.newSession('ann'), await product.newSession('bob')];
  const ask = (browser: typeof ann, path: string) => browser.fetch(`${product.publicUrl}${path}`);
  const paths = ['/api/user', '/api/integrations'];
  for (let count = 0; count < 10; count++) assert.equal((await ask(ann, paths[count % 2] ?? '')).status, 200);
  const refused = await ask(ann, '/api/integrations');
  assert.equal(refused.status, 429);
  assert.ok(Number(refused.headers.get('retry-after')) > 0);
  assert.equal(((await refused.json()) as { code: string }).code, 'too_many_requests');
  assert.equal((await ask(bob, '/api/user')).status, 200);
});

test('webhooks that fail their check are held up after sixty, those that pass never', async () => {
  const integration = await product.createIntegration();
  const event = { event: 'ping', payload: { zen: 'calm' } };
  const wrong = { ...integration, webhookSecret: 'another' };
  const post = (to: typeof integration, client = '203.0.113.1') =>
    postWebhook(product.baseUrl, to, { ...event, headers: { 'x-forwarded-for': client } });
  for (let count = 0; count < 60; count++) assert.equal((await post(wrong)).status, 401);
  const refused = await post(wrong);
  assert.equal(refused.status, 429);
  assert.ok(Number(refused.headers.get('retry-after')) > 0);
  for (let count = 0; count < 5; count++) assert.equal((await post(integration)).status, 200);
  assert.equal((await post(wrong, '203.0.113.2')).status, 401, 'who comes by the same proxy is another');
});

test('handshakes of live updates are counted by the client that a trusted proxy names, not by the proxy', async () => {
  const url = `${product.baseUrl.replace('http', 'ws')}/ws?channel=workflows&token=none`;
  const statusFor = (client: string): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const socket = new WebSocket(url, { headers: { 'x-forwarded-for': client } });
      socket.on('error', reject);
      socket.on('unexpected-response', (_request, response) => {
        response.resume();
        resolve(response.statusCode);
      });
    });
  await waitUntil('one client to be held up', async () => {
    const statuses = await Promise.all(Array.from({ length: 200 }, () => statusFor('203.0.113.1')));
    return statuses.includes(429);
  });
  assert.equal(await statusFor('203.0.113.2'), 401);
});
