import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import pino from 'pino';
import { Registry } from 'prom-client';
import { freePort } from '#platform/runtime/free-port.ts';
import { createTestDatabase } from '#test/support/test-database.ts';
import { makeWorkerPages } from './worker-pages.ts';

const { worker: db } = await createTestDatabase();

/** The pages of a worker; `isAway` makes its queue fail. */
async function startPages(metricsToken?: string) {
  const queue = { isAway: false, ping: async () => assert.ok(!queue.isAway) };
  const port = await freePort();
  const pages = await makeWorkerPages({
    db,
    queue,
    metricsToken,
    metrics: new Registry(),
    log: pino({ level: 'silent' }),
    host: '127.0.0.1',
    port,
  });
  await pages.start();
  after(() => pages.stop());
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(`http://127.0.0.1:${port}${path}`, { headers });
  return { queue, get };
}

test('without a token the metrics are for this machine alone, and not for whom a proxy speaks', async () => {
  const { get } = await startPages();
  assert.equal((await get('/metrics')).status, 200);
  for (const header of ['x-forwarded-for', 'forwarded'])
    assert.equal((await get('/metrics', { [header]: 'for=127.0.0.1' })).status, 401, header);
});

test('with a token the metrics are for whoever has it, from anywhere, and for nobody else', async () => {
  const { get } = await startPages('a token');
  for (const authorization of ['', 'a token', 'Bearer another', 'Bearer a token2'])
    assert.equal((await get('/metrics', { authorization })).status, 401, authorization);
  const bearer = { authorization: 'Bearer a token', 'x-forwarded-for': '192.0.2.1' };
  assert.equal((await get('/metrics', bearer)).status, 200);
});

test('a process whose queue does not answer is up, and not ready', async () => {
  const { queue, get } = await startPages();
  assert.equal((await get('/readyz')).status, 200);
  queue.isAway = true;
  const answer = await get('/readyz');
  assert.deepEqual([answer.status, answer.headers.get('retry-after')], [503, '2']);
  assert.equal((await get('/healthz')).status, 200);
});
