import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import type { Problem } from '#contract/base/errors.ts';
import { startTestProgram } from '#test/support/product/test-program.ts';

/** What is refused before a body is read. */
const { baseUrl, publicUrl } = await startTestProgram({ TRUSTED_PROXIES: '127.0.0.0/8' }, ['api']);

async function post(path: string, body: string, client: string): Promise<[number, string, Headers]> {
  const answer = await fetch(baseUrl + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': client },
    body,
  });
  return [answer.status, ((await answer.json()) as Problem).code, answer.headers];
}

test('no body is parsed where there is nothing', async () => {
  const [status, code] = await post('/nowhere', 'no JSON', '203.0.113.1');
  assert.deepEqual([status, code], [404, 'not_found']);
});

test('a route that takes no body refuses one, and lets an empty object pass', async () => {
  const path = '/api/auth/refresh';
  assert.equal((await post(path, '{"a":1}', '203.0.113.2'))[1], 'invalid_request');
  assert.equal((await post(path, 'no JSON', '203.0.113.2'))[1], 'invalid_request');
  assert.equal((await post(path, '['.repeat(200_000), '203.0.113.2'))[1], 'payload_too_large');
  assert.equal((await post(path, '{}', '203.0.113.2'))[1], 'missing_refresh_token');
  assert.equal((await post(path, '', '203.0.113.2'))[1], 'missing_refresh_token');
});

for (const path of ['/nowhere', '/api/nowhere']) {
  test(`an address that asks for ${path} over and over is held up, and no other`, async () => {
    const client = `198.51.100.${path.length}`;
    const codes = [];
    for (let count = 0; count < 61; count += 1) codes.push((await post(path, '{}', client))[1]);
    const [status, code, headers] = await post(path, '{}', client);
    assert.deepEqual([status, code], [429, 'too_many_requests']);
    assert.ok(Number(headers.get('retry-after')) > 0);
    assert.ok(!codes.slice(0, 60).includes('too_many_requests'));
    assert.notEqual((await post(path, '{}', '198.51.100.99'))[0], 429);
    assert.equal((await fetch(`${baseUrl}/healthz`, { headers: { 'x-forwarded-for': client } })).status, 200);
  });
}

async function sendRaw(text: string): Promise<string> {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname);
  socket.end(text);
  let answer = '';
  socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
  await once(socket, 'close');
  return answer;
}

test('a request that names two hosts is refused, as a handshake is', async () => {
  const twice = 'Host: localhost\r\nhost: elsewhere.example\r\nConnection: close\r\n';
  const answer = await sendRaw(`GET /healthz HTTP/1.1\r\n${twice}\r\n`);
  assert.match(answer, /^HTTP\/1.1 400 [^]*"code":"invalid_request"/);
  const upgrade = `${twice.replace('Connection: close', 'Connection: Upgrade')}Upgrade: websocket\r\n`;
  assert.match(await sendRaw(`GET /ws HTTP/1.1\r\n${upgrade}\r\n`), /^HTTP\/1.1 400 [^]*Host once/);
  const once = 'Host: localhost\r\nConnection: close\r\n';
  assert.match(await sendRaw(`GET /healthz HTTP/1.1\r\n${once}\r\n`), /^HTTP\/1.1 200 /);
});

test('a foreign origin gets no headers about credentials, an allowed one does', async () => {
  const headersFor = async (origin: string, method: string) =>
    (
      await fetch(`${baseUrl}/api/user`, {
        method,
        headers: { origin, 'access-control-request-method': 'POST' },
      })
    ).headers;
  for (const method of ['GET', 'OPTIONS']) {
    const foreign = await headersFor('https://elsewhere.example', method);
    for (const name of ['origin', 'credentials'])
      assert.equal(foreign.get(`access-control-allow-${name}`), null, `${method} ${name}`);
    assert.match(foreign.get('vary') ?? '', /origin/i);
    const allowed = await headersFor(publicUrl, method);
    assert.equal(allowed.get('access-control-allow-origin'), publicUrl);
    assert.equal(allowed.get('access-control-allow-credentials'), 'true');
  }
});
