import assert from 'node:assert/strict';
import { createServer as createTcpServer } from 'node:net';
import { test } from 'node:test';
import { failsWith, guardedTarget, listen } from '#test/support/network/guarded-target.ts';
import { namesAre } from '#test/support/network/names.ts';
import { makeGuardedFetch } from './guarded-fetch.ts';

test('post sends to an allowed address with the host of the URL and returns the status', async (t) => {
  const seen: unknown[] = [];
  const { guarded, url } = await guardedTarget(t, (request, response) => {
    const { method, headers } = request;
    seen.push(method, request.url, headers['x-mine'], headers.host?.split(':')[0]);
    request.on('data', (chunk: Buffer) => seen.push(chunk.toString()));
    request.on('end', () => response.writeHead(202).end('thanks'));
  });
  assert.deepEqual(await guarded.post(url, { headers: { 'x-mine': '1' }, body: '{}' }), { status: 202 });
  assert.deepEqual(seen, ['POST', '/in?a=1', '1', 'hooks.example.com', '{}']);
});

const refused = [
  'not a url',
  'http://hooks.example.com/',
  'ftp://hooks.example.com/',
  'file:///etc/passwd',
  'https://user@hooks.example.com/',
  'https://user:secret@hooks.example.com/',
  'https://hooks.example.com:8443/',
  'https://hooks.example.com:22/',
  'https://127.0.0.1/',
  'https://127.1/',
  'https://2130706433/',
  'https://0x7f000001/',
  'https://0177.0.0.1/',
  'https://10.0.0.1/',
  'https://169.254.169.254/latest/meta-data',
  'https://[::1]/',
  'https://[::ffff:127.0.0.1]/',
  'https://[64:ff9b::7f00:1]/',
  'https://\u2460\u2461\u2466.0.0.1/',
  'https://localhost/',
  'https://LOCALHOST./',
  'https://a.localhost/',
  'https://printer.local/',
  'https://metadata.google.internal/',
];

test('a forbidden URL is refused before any lookup or connection', async () => {
  const names = namesAre(['1.1.1.1']);
  const guarded = makeGuardedFetch({ allowedNetworks: [], lookup: names.lookup });
  for (const url of refused) {
    await assert.rejects(guarded.post(url, { body: '' }), failsWith('blocked'), url);
    assert.equal(typeof guarded.refusal(url), 'string', url);
  }
  assert.equal(names.asked(), 0);
  assert.equal(guarded.refusal('https://hooks.example.com/services/T0/B0'), undefined);
  assert.equal(guarded.refusal('https://1.1.1.1/'), undefined);
});

test('a host with any private address is refused', async (t) => {
  for (const addresses of [
    ['127.0.0.2'],
    ['127.0.0.1', '10.0.0.1'],
    ['127.0.0.1', '::1'],
    ['::ffff:127.0.0.1'],
  ]) {
    const { guarded, url, connections } = await guardedTarget(
      t,
      (_request, response) => response.end(),
      namesAre(addresses),
    );
    await assert.rejects(guarded.post(url, { body: '' }), failsWith('blocked'), addresses.join());
    assert.equal(connections(), 0);
  }
});

test('each call resolves the host again and connects to the checked address', async (t) => {
  const names = namesAre(['127.0.0.1'], ['169.254.169.254']);
  const { guarded, url, connections } = await guardedTarget(t, (_request, response) => response.end(), names);
  assert.deepEqual(await guarded.post(url, { body: '' }), { status: 200 });
  await assert.rejects(guarded.post(url, { body: '' }), failsWith('blocked'));
  assert.deepEqual([names.asked(), connections()], [2, 1]);
});

test('calls use kept connections again, and the address of each is checked', async (t) => {
  const names = namesAre(['127.0.0.1']);
  const { guarded, url, connections } = await guardedTarget(t, (_request, response) => response.end('yes'), {
    lookup: names.lookup,
    keepsConnections: true,
  });
  for (let index = 0; index < 10; index += 1) {
    const answer = await guarded.request(url, { method: 'GET', totalMs: 60_000 });
    await (index % 2 === 0 ? answer.close() : Array.fromAsync(answer.body));
  }
  assert.ok(connections() < 5, `${connections()} connections`);
  assert.equal(names.asked(), connections());
  const elsewhere = await guardedTarget(t, (_request, response) => response.end(), {
    lookup: namesAre(['127.0.0.2']).lookup,
    keepsConnections: true,
  });
  await assert.rejects(elsewhere.guarded.post(elsewhere.url, { body: '' }), failsWith('blocked'));
  assert.equal(elsewhere.connections(), 0);
});

test('nothing is called when the host cannot be resolved', async (t) => {
  for (const answer of [new Error('EAI_AGAIN'), []]) {
    const { guarded, url, connections } = await guardedTarget(
      t,
      (_request, response) => response.end(),
      namesAre(answer),
    );
    await assert.rejects(guarded.post(url, { body: '' }), failsWith('unreachable'));
    assert.equal(connections(), 0);
  }
});

test('an internal host works when its network is allowed', async (t) => {
  const { guarded, port } = await guardedTarget(t, (_request, response) => response.end());
  assert.deepEqual(await guarded.post(`https://hooks.internal:${port}/`, { body: '' }), { status: 200 });
});

test('a redirect is returned and not followed', async (t) => {
  let requests = 0;
  const { guarded, url } = await guardedTarget(t, (_request, response) => {
    requests += 1;
    response.writeHead(307, { location: url }).end();
  });
  assert.deepEqual(await guarded.post(url, { body: '' }), { status: 307 });
  assert.equal(requests, 1);
});

test('a server whose certificate is for another name is not called', async (t) => {
  let requests = 0;
  const { guarded, port } = await guardedTarget(t, (_request, response) => {
    requests += 1;
    response.end();
  });
  await assert.rejects(
    guarded.post(`https://elsewhere.example.org:${port}/`, { body: '' }),
    failsWith('unreachable'),
  );
  assert.equal(requests, 0);
});

test('http, where it is allowed at all, reaches the allowed networks only', async (t) => {
  const server = createTcpServer((socket) => socket.end('HTTP/1.1 204 No Content\r\n\r\n'));
  const port = await listen(t, server);
  const names = namesAre(['1.1.1.1'], ['127.0.0.1']);
  const guarded = makeGuardedFetch({
    allowedNetworks: ['127.0.0.1/32'],
    allowedPorts: [port],
    mayUseHttp: true,
    lookup: names.lookup,
  });
  t.after(guarded.dispose);
  const url = `http://git.example.com:${port}/`;
  const get = () => guarded.request(url, { method: 'GET', totalMs: 60_000 });
  await assert.rejects(get(), failsWith('blocked'));
  const answer = await get();
  await answer.close();
  assert.equal(answer.status, 204);
  assert.equal(typeof guarded.refusal(`http://1.1.1.1:${port}/`), 'string');
});
