import assert from 'node:assert/strict';
import type { LookupAddress, lookup as resolve } from 'node:dns';
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { testCertificate } from '#test/support/network/test-certificate.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { GuardedFetchError, makeGuardedFetch, type GuardedFetchOptions } from './guarded-fetch.ts';

setDefaultCACertificates([...getCACertificates('default'), testCertificate.cert]);

/** What a name means, one answer for each time it is asked; the last one stays. */
function namesAre(...answers: (string[] | Error)[]) {
  let asked = 0;
  const lookup = ((_name: string, _options: unknown, answer: (...found: unknown[]) => void) => {
    const found = answers[Math.min(asked, answers.length - 1)] ?? [];
    asked += 1;
    if (found instanceof Error) answer(found);
    else
      answer(
        null,
        found.map((address): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
  }) as unknown as typeof resolve;
  return { lookup, asked: () => asked };
}

async function listen(t: TestContext, server: ReturnType<typeof createTcpServer>): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => void sockets.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return (server.address() as AddressInfo).port;
}

async function target(t: TestContext, handle: RequestListener, options: Partial<GuardedFetchOptions> = {}) {
  let connections = 0;
  const server = createServer(testCertificate, handle);
  server.on('connection', () => (connections += 1));
  const port = await listen(t, server);
  const guarded = makeGuardedFetch({
    allowedNetworks: ['127.0.0.1/32'],
    allowedPorts: [port],
    lookup: namesAre(['127.0.0.1']).lookup,
    ...options,
  });
  t.after(guarded.dispose);
  return { guarded, url: `https://hooks.example.com:${port}/in?a=1`, port, connections: () => connections };
}

const failsWith = (reason: GuardedFetchError['reason']) => (error: unknown) => {
  assert.ok(error instanceof GuardedFetchError, String(error));
  assert.equal(error.reason, reason, error.message);
  return true;
};

test('post sends to an allowed address with the host of the URL and returns the status', async (t) => {
  const seen: unknown[] = [];
  const { guarded, url } = await target(t, (request, response) => {
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
    const { guarded, url, connections } = await target(
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
  const { guarded, url, connections } = await target(t, (_request, response) => response.end(), names);
  assert.deepEqual(await guarded.post(url, { body: '' }), { status: 200 });
  await assert.rejects(guarded.post(url, { body: '' }), failsWith('blocked'));
  assert.deepEqual([names.asked(), connections()], [2, 1]);
});

test('calls use kept connections again, and the address of each is checked', async (t) => {
  const names = namesAre(['127.0.0.1']);
  const { guarded, url, connections } = await target(t, (_request, response) => response.end('yes'), {
    lookup: names.lookup,
    keepsConnections: true,
  });
  for (let index = 0; index < 10; index += 1) {
    const answer = await guarded.request(url, { method: 'GET', totalMs: 60_000 });
    await (index % 2 === 0 ? answer.close() : Array.fromAsync(answer.body));
  }
  assert.ok(connections() < 5, `${connections()} connections`);
  assert.equal(names.asked(), connections());
  const elsewhere = await target(t, (_request, response) => response.end(), {
    lookup: namesAre(['127.0.0.2']).lookup,
    keepsConnections: true,
  });
  await assert.rejects(elsewhere.guarded.post(elsewhere.url, { body: '' }), failsWith('blocked'));
  assert.equal(elsewhere.connections(), 0);
});

test('a loop over the body that ends early closes a kept connection', async (t) => {
  let isClosed = false;
  const { guarded, url } = await target(
    t,
    (_request, response) => {
      response.on('close', () => (isClosed = true));
      response.writeHead(200).write('endless');
    },
    { keepsConnections: true },
  );
  const answer = await guarded.request(url, { method: 'GET', totalMs: 60_000 });
  for await (const chunk of answer.body) {
    assert.ok(chunk.length > 0);
    break;
  }
  await waitUntil('the connection to close', () => isClosed);
});

test('nothing is called when the host cannot be resolved', async (t) => {
  for (const answer of [new Error('EAI_AGAIN'), []]) {
    const { guarded, url, connections } = await target(
      t,
      (_request, response) => response.end(),
      namesAre(answer),
    );
    await assert.rejects(guarded.post(url, { body: '' }), failsWith('unreachable'));
    assert.equal(connections(), 0);
  }
});

test('an internal host works when its network is allowed', async (t) => {
  const { guarded, port } = await target(t, (_request, response) => response.end());
  assert.deepEqual(await guarded.post(`https://hooks.internal:${port}/`, { body: '' }), { status: 200 });
});

test('a redirect is returned and not followed', async (t) => {
  let requests = 0;
  const { guarded, url } = await target(t, (_request, response) => {
    requests += 1;
    response.writeHead(307, { location: url }).end();
  });
  assert.deepEqual(await guarded.post(url, { body: '' }), { status: 307 });
  assert.equal(requests, 1);
});

test('a server whose certificate is for another name is not called', async (t) => {
  let requests = 0;
  const { guarded, port } = await target(t, (_request, response) => {
    requests += 1;
    response.end();
  });
  await assert.rejects(
    guarded.post(`https://elsewhere.example.org:${port}/`, { body: '' }),
    failsWith('unreachable'),
  );
  assert.equal(requests, 0);
});

const limits = { connectMs: 300, totalMs: 600, answerBytes: 16_384 };

test('a call to a server that never answers ends after the total time', async (t) => {
  const { guarded, url } = await target(t, () => {}, { limits });
  await assert.rejects(guarded.post(url, { body: '' }), failsWith('timeout'));
});

test('a call to a server that only accepts the connection times out', async (t) => {
  const port = await listen(t, createTcpServer());
  const { lookup } = namesAre(['127.0.0.1']);
  const guarded = makeGuardedFetch({
    allowedNetworks: ['127.0.0.1/32'],
    allowedPorts: [port],
    lookup,
    limits,
  });
  await assert.rejects(
    guarded.post(`https://hooks.example.com:${port}/`, { body: '' }),
    failsWith('timeout'),
  );
});

test('a call ends when the server falls silent, before the total time', async (t) => {
  const { guarded, url } = await target(t, (request, response) => {
    if (request.method === 'GET') response.writeHead(200).write('begun');
  });
  const call = { totalMs: 600_000, silentMs: 100 };
  await assert.rejects(guarded.request(url, { method: 'PUT', ...call }), failsWith('timeout'));
  const { body } = await guarded.request(url, { method: 'GET', ...call });
  const chunks: string[] = [];
  await assert.rejects(async () => {
    for await (const chunk of body) chunks.push(Buffer.from(chunk).toString());
  }, failsWith('timeout'));
  assert.deepEqual(chunks, ['begun']);
});

test('a call times out when the resolver never answers', async (t) => {
  const lookup = (() => {}) as unknown as typeof resolve;
  const { guarded, url } = await target(t, () => {}, { limits, lookup });
  await assert.rejects(guarded.post(url, { body: '' }), failsWith('timeout'));
});

test('only the start of an endless response is read, and its status is returned', async (t) => {
  const trickling = await target(t, (_request, response) => void response.writeHead(200).write('x'), {
    limits,
  });
  assert.deepEqual(await trickling.guarded.post(trickling.url, { body: '' }), { status: 200 });
  let sent = 0;
  const endless = await target(t, (_request, response) => {
    const more = (): void => {
      for (let isTaken = true; isTaken && !response.destroyed; sent += 65_536)
        isTaken = response.write(Buffer.alloc(65_536));
    };
    response.on('drain', more).writeHead(200);
    more();
  });
  assert.deepEqual(await endless.guarded.post(endless.url, { body: '' }), { status: 200 });
  assert.ok(sent < 16_000_000, `${sent} bytes`);
});

test('an abort or dispose ends the call immediately', async (t) => {
  const { guarded, url } = await target(t, () => giveUp.abort());
  const giveUp = new AbortController();
  await assert.rejects(guarded.post(url, { body: '', signal: giveUp.signal }), failsWith('ended'));
  const stopping = await target(t, () => stopping.guarded.dispose());
  await assert.rejects(stopping.guarded.post(stopping.url, { body: '' }), failsWith('ended'));
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
