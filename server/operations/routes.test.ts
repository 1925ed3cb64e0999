import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import pino from 'pino';
import { freePort } from '#platform/runtime/processes/free-port.ts';
import { makeMetrics } from '#platform/runtime/metrics.ts';
import { startPlainProxy } from '#test/support/network/plain-proxy.ts';
import { createTestDatabase } from '#test/support/database/test-database.ts';
import { startTestProgram } from '#test/support/product/test-program.ts';
import { makeOperatorPages } from './operator-pages.ts';
import { makeReadiness } from './readiness.ts';

const { worker: db } = await createTestDatabase();

/** The operator's pages of a process whose queue can be away. */
async function startPages() {
  const time = { ms: 0 };
  const queue = { isAway: false, pings: 0, ping: () => ping() };
  const ping = async (): Promise<void> => {
    queue.pings += 1;
    assert.ok(!queue.isAway);
  };
  const port = await freePort();
  const pages = await makeOperatorPages({
    checkReady: makeReadiness({ db, queue, now: () => time.ms }),
    drainNotice: { read: () => false },
    disk: { problem: () => undefined },
    metrics: makeMetrics(),
    log: pino({ level: 'silent' }),
    host: '127.0.0.1',
    port,
  });
  await pages.start();
  after(() => pages.stop());
  return { queue, time, get: (path: string) => fetch(`http://127.0.0.1:${port}${path}`) };
}

test('PORT serves no metrics without METRICS_TOKEN, to this machine neither', async () => {
  const { baseUrl } = await startTestProgram({ METRICS_TOKEN: '' }, ['api']);
  assert.equal((await fetch(`${baseUrl}/metrics`)).status, 404);
  const proxy = await startPlainProxy(baseUrl);
  assert.equal((await fetch(`${proxy.url}/metrics`)).status, 404);
});

test('PORT serves metrics to a client that sends METRICS_TOKEN, and to nobody else', async () => {
  const { baseUrl } = await startTestProgram({ METRICS_TOKEN: 'a token' }, ['api']);
  for (const authorization of ['', 'a token', 'Bearer another', 'Bearer a token2', 'Bearer a toke'])
    assert.equal(
      (await fetch(`${baseUrl}/metrics`, { headers: { authorization } })).status,
      401,
      authorization,
    );
  const proxy = await startPlainProxy(baseUrl);
  const bearer = { authorization: 'Bearer a token' };
  for (const url of [baseUrl, proxy.url])
    assert.equal((await fetch(`${url}/metrics`, { headers: bearer })).status, 200, url);
});

for (const parts of [['api'], ['worker'], ['api', 'worker']] as const) {
  test(`METRICS_PORT serves the operator's pages of ${parts.join(' and ')} without a token, and no other page`, async () => {
    const port = String(await freePort());
    const { program } = await startTestProgram({ METRICS_PORT: port, METRICS_TOKEN: '' }, parts);
    const statusOf = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).status;
    for (const path of ['/healthz', '/readyz', '/metrics']) assert.equal(await statusOf(path), 200, path);
    for (const path of ['/', '/config.json', '/api/integrations', '/oidc/auth'])
      assert.equal(await statusOf(path), 404, path);
    await program.stop();
    await assert.rejects(statusOf('/healthz'));
  });
}

test('a process whose queue does not answer is up, and not ready', async () => {
  const { queue, time, get } = await startPages();
  assert.equal((await get('/readyz')).status, 200);
  queue.isAway = true;
  time.ms += 1000;
  const answer = await get('/readyz');
  assert.deepEqual([answer.status, answer.headers.get('retry-after')], [503, '2']);
  assert.equal((await get('/healthz')).status, 200);
});

test('database and queue are asked once a second, however often anybody asks for /readyz', async () => {
  const { queue, time, get } = await startPages();
  const askMany = async () =>
    (await Promise.all(Array.from({ length: 20 }, () => get('/readyz')))).map(({ status }) => status);
  assert.deepEqual([...new Set(await askMany()), queue.pings], [200, 1]);
  queue.isAway = true;
  time.ms += 999;
  assert.deepEqual([...new Set(await askMany()), queue.pings], [200, 1], 'the answer is kept');
  time.ms += 1;
  assert.deepEqual([...new Set(await askMany()), queue.pings], [503, 2]);
});

test('a check that hangs is answered all the same', async () => {
  const { promise: never } = Promise.withResolvers<void>();
  const checkReady = makeReadiness({ db, queue: { ping: () => never } });
  // Keeps the process alive: the check waits without.
  const alive = setInterval(() => {}, 1000);
  await assert.rejects(checkReady(), /no answer of database and queue/);
  clearInterval(alive);
});

test('a check that hangs is shared by those who come later, however late', async () => {
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  const time = { ms: 0 };
  let pings = 0;
  const ping = (): Promise<void> => {
    pings += 1;
    return answered;
  };
  const checkReady = makeReadiness({ db, queue: { ping }, now: () => time.ms });
  const first = checkReady();
  time.ms = 60_000;
  const second = checkReady();
  answer();
  await Promise.all([first, second]);
  assert.equal(pings, 1);
});
