import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { request, type IncomingMessage } from 'node:http';
import { connect as connectTcp } from 'node:net';
import { test } from 'node:test';
import type { Problem } from '#contract/errors.ts';
import {
  connect,
  makeIntegration,
  makeMember,
  makeTruth,
  startNode,
  testOrigin,
  until,
  type TestNode,
} from '#test/support/realtime-node.ts';
import { createTestDatabase, testMasterKey } from '#test/support/test-database.ts';

const database = await createTestDatabase();
const truth = makeTruth();
const integrationId = await makeIntegration(database);
const userId = await makeMember(database, [integrationId]);
const grant = { userId, integrationIds: [integrationId] };

interface Attempt {
  path?: string;
  query?: string;
  method?: string;
  headers?: Record<string, string | undefined>;
}

/** One handshake with whatever is given in place of the right values. */
async function attempt(
  node: TestNode,
  { path = '/ws', query, method = 'GET', headers = {} }: Attempt = {},
): Promise<{ status: number; headers: IncomingMessage['headers']; problem?: Problem }> {
  const { port } = new URL(node.url);
  const search = query ?? `token=${node.realtime.mintToken(grant).token}&channel=workflows`;
  const sent = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': randomBytes(16).toString('base64'),
    ...headers,
  };
  return new Promise((resolve, reject) => {
    const outgoing = request({
      port,
      path: `${path}?${search}`,
      method,
      headers: Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined)),
    });
    outgoing.on('error', reject);
    outgoing.on('upgrade', (response, socket) => {
      socket.destroy();
      resolve({ status: 101, headers: response.headers });
    });
    outgoing.on('response', (response) => {
      let text = '';
      response.on('data', (chunk) => (text += chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          problem: text.startsWith('{') ? (JSON.parse(text) as Problem) : undefined,
        } as Awaited<ReturnType<typeof attempt>>),
      );
    });
    outgoing.end();
  });
}

const node = await startNode(database, truth);
const good = (): string => node.realtime.mintToken(grant).token;
test.after(() => node.stop());

test('a right handshake is accepted, with or without an allowed origin, and the token may come as a protocol', async () => {
  assert.equal((await attempt(node)).status, 101);
  assert.equal((await attempt(node, { headers: { origin: testOrigin } })).status, 101);
  const { status, headers } = await attempt(node, {
    query: 'channel=workflows',
    headers: { 'sec-websocket-protocol': `workflows.v1, token.${good()}` },
  });
  assert.equal(status, 101);
  assert.equal(headers['sec-websocket-protocol'], 'workflows.v1');
});

const refusals: [what: string, status: number, code: string, attempt: () => Attempt][] = [
  ['another path', 404, 'not_found', () => ({ path: '/wss' })],
  ['a path below', 404, 'not_found', () => ({ path: '/ws/' })],
  ['another spelling of the path', 404, 'not_found', () => ({ path: '/%77s' })],
  ['POST', 405, 'method_not_allowed', () => ({ method: 'POST' })],
  ['another upgrade', 400, 'invalid_request', () => ({ headers: { upgrade: 'h2c' } })],
  ['no version', 400, 'invalid_request', () => ({ headers: { 'sec-websocket-version': undefined } })],
  ['version 8', 400, 'invalid_request', () => ({ headers: { 'sec-websocket-version': '8' } })],
  ['no key', 400, 'invalid_request', () => ({ headers: { 'sec-websocket-key': undefined } })],
  ['a short key', 400, 'invalid_request', () => ({ headers: { 'sec-websocket-key': 'c2hvcnQ=' } })],
  ['a foreign origin', 403, 'origin_not_allowed', () => ({ headers: { origin: 'https://evil.example' } })],
  ['origin null', 403, 'origin_not_allowed', () => ({ headers: { origin: 'null' } })],
  ['an empty origin', 403, 'origin_not_allowed', () => ({ headers: { origin: '' } })],
  [
    'an origin that starts alike',
    403,
    'origin_not_allowed',
    () => ({ headers: { origin: `${testOrigin}.evil.example` } }),
  ],
  [
    'the origin with another scheme',
    403,
    'origin_not_allowed',
    () => ({ headers: { origin: testOrigin.replace('https', 'http') } }),
  ],
  [
    'the origin with a port',
    403,
    'origin_not_allowed',
    () => ({ headers: { origin: `${testOrigin}:8443` } }),
  ],
  ['two origins', 403, 'origin_not_allowed', () => ({ headers: { origin: `${testOrigin}, ${testOrigin}` } })],
  [
    'the origin in capitals',
    403,
    'origin_not_allowed',
    () => ({ headers: { origin: testOrigin.toUpperCase() } }),
  ],
  ['no channel', 400, 'invalid_request', () => ({ query: `token=${good()}` })],
  ['another channel', 400, 'invalid_request', () => ({ query: `token=${good()}&channel=jobs` })],
  [
    'the channel twice',
    400,
    'invalid_request',
    () => ({ query: `token=${good()}&channel=workflows&channel=workflows` }),
  ],
  ['no token', 401, 'unauthenticated', () => ({ query: 'channel=workflows' })],
  ['an empty token', 401, 'unauthenticated', () => ({ query: 'token=&channel=workflows' })],
  ['a wrong token', 401, 'unauthenticated', () => ({ query: `token=${good()}x&channel=workflows` })],
  [
    'the token twice',
    401,
    'unauthenticated',
    () => ({ query: `token=${good()}&token=${good()}&channel=workflows` }),
  ],
  [
    'tokens in both places',
    401,
    'unauthenticated',
    () => ({ headers: { 'sec-websocket-protocol': `workflows.v1, token.${good()}` } }),
  ],
  [
    'a token for an integration the person has left',
    403,
    'insufficient_role',
    () => {
      const { token } = node.realtime.mintToken({ userId, integrationIds: [randomUUID()] });
      return { query: `token=${token}&channel=workflows` };
    },
  ],
];

for (const [what, status, code, make] of refusals) {
  test(`${what} is refused with ${status} ${code} before the upgrade`, async () => {
    const answer = await attempt(node, make());
    assert.equal(answer.status, status);
    assert.equal(answer.headers['content-type'], 'application/problem+json');
    assert.equal(answer.problem?.code, code);
    assert.equal(answer.problem?.requestId, answer.headers['x-request-id']);
    if (what === 'version 8') assert.equal(answer.headers['sec-websocket-version'], '13');
  });
}

test('the cheaper refusal comes first when several are due', async () => {
  const foreign = { headers: { origin: 'https://evil.example' } };
  assert.equal((await attempt(node, { ...foreign, query: 'channel=none' })).status, 403);
  assert.equal((await attempt(node, { query: 'channel=none&token=x' })).status, 400);
  assert.equal((await attempt(node, { ...foreign, path: '/other' })).status, 404);
});

test('an expired token is refused, and the very clock decides', async () => {
  let now = Date.now();
  const timed = await startNode(database, truth, { clock: () => now });
  const { token } = timed.realtime.mintToken(grant);
  const query = `token=${token}&channel=workflows`;
  now += 60_000;
  assert.equal((await attempt(timed, { query })).status, 101);
  now += 5_000;
  assert.equal((await attempt(timed, { query })).status, 401);
  await timed.stop();
});

test('a token opens several sockets inside its life, or exactly one when so configured', async () => {
  const { token } = node.realtime.mintToken(grant);
  const query = `token=${token}&channel=workflows`;
  assert.deepEqual(
    [(await attempt(node, { query })).status, (await attempt(node, { query })).status],
    [101, 101],
  );

  const strict = [
    await startNode(database, truth, { isSingleUse: true }),
    await startNode(database, truth, { isSingleUse: true }),
  ];
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) => attempt(strict[index % 2] as TestNode, { query })),
  );
  assert.deepEqual(answers.map(({ status }) => status).sort(), [
    101,
    ...Array.from({ length: 19 }, () => 401),
  ]);
  assert.equal((await attempt(strict[0] as TestNode)).status, 101);
  for (const each of strict) await each.stop();
});

test('somebody without integrations is accepted and has no record', async () => {
  const newcomer = await makeMember(database, []);
  const client = await connect(node, { userId: newcomer, integrationIds: [] }, { isControl: true });
  await until(() => client.messages.length === 1, 'hello');
  assert.deepEqual(client.messages, [{ v: 1, type: 'hello', cursors: {} }]);
  const records = await database.asOwner('select from ws_connection where user_id = $1', [newcomer]);
  assert.equal(records.length, 0);
  client.ws.terminate();
});

test('a token of more than 100 integrations connects to all that membership allows now', async () => {
  const mine = await Promise.all(Array.from({ length: 101 }, () => makeIntegration(database)));
  const person = await makeMember(database, mine);
  await database.asOwner('delete from memberships where user_id = $1 and integration_id = $2', [
    person,
    mine[0],
  ]);
  const client = await connect(node, { userId: person, integrationIds: mine }, { isControl: true });
  await until(() => client.messages.length === 1, 'hello');
  const [hello] = client.messages;
  assert.ok(hello?.type === 'hello');
  assert.deepEqual(Object.keys(hello.cursors).sort(), mine.slice(1).sort());
  client.ws.terminate();
});

test('a person may hold 20 sockets on a node, then 429 until one closes', async () => {
  const person = await makeMember(database, [integrationId]);
  const theirs = { userId: person, integrationIds: [integrationId] };
  const clients = await Promise.all(Array.from({ length: 20 }, () => connect(node, theirs)));
  await assert.rejects(connect(node, theirs), /refused with 429/);
  clients[0]?.ws.close();
  await until(
    () =>
      connect(node, theirs).then(
        ({ ws }) => (ws.terminate(), true),
        () => false,
      ),
    'a place is free',
  );
  for (const { ws } of clients) ws.terminate();
});

test('handshakes of one address are limited before anything is verified, with Retry-After', async () => {
  const limited = await startNode(database, truth, {
    addressOf: (incoming) => String(incoming.headers['x-test-address']),
    policy: { handshakeBurstPerAddress: 3, handshakesPerSecondPerAddress: 0.001 },
  });
  const from = (address: string) =>
    attempt(limited, { query: 'channel=workflows&token=x', headers: { 'x-test-address': address } });
  const answers = [await from('a'), await from('a'), await from('a'), await from('a')];
  assert.deepEqual(
    answers.map(({ status }) => status),
    [401, 401, 401, 429],
  );
  assert.ok(Number(answers[3]?.headers['retry-after']) > 0);
  assert.equal((await from('b')).status, 401);
  await limited.stop();
});

test('a full node and a draining node answer 503 with Retry-After', async () => {
  const small = await startNode(database, truth, { policy: { maxConnections: 1 } });
  const client = await connect(small, grant);
  const full = await attempt(small);
  assert.equal(full.status, 503);
  assert.ok(Number(full.headers['retry-after']) > 0);
  const drained = small.realtime.drain();
  assert.equal((await attempt(small, { path: '/other' })).status, 503);
  await drained;
  assert.equal(await client.closed, 1012);
  await small.stop();
});

test('a client that goes away during its handshake leaves nothing behind', async () => {
  const person = await makeMember(database, [integrationId]);
  const { token } = node.realtime.mintToken({ userId: person, integrationIds: [integrationId] });
  const { port } = new URL(node.url);
  for (let round = 0; round < 30; round += 1) {
    const socket = connectTcp(Number(port), '127.0.0.1');
    socket.write(
      `GET /ws?token=${token}&channel=workflows HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
      () => (round % 2 === 0 ? socket.resetAndDestroy() : socket.end()),
    );
    await new Promise((resolve) => socket.once('close', resolve));
  }
  await until(async () => {
    const rows = await database.asOwner('select from ws_connection where user_id = $1', [person]);
    return rows.length === 0;
  }, 'the records are gone');
  const clients = await Promise.all(
    Array.from({ length: 20 }, () => connect(node, { userId: person, integrationIds: [integrationId] })),
  );
  for (const { ws } of clients) ws.terminate();
});

test('nothing that is logged ever holds a token', async () => {
  const { token } = node.realtime.mintToken(grant);
  await attempt(node, { query: `token=${token}&channel=none` });
  await attempt(node, { query: `token=${token}&channel=workflows`, headers: { origin: 'null' } });
  await attempt(node, { query: 'channel=none', headers: { 'sec-websocket-protocol': `token.${token}` } });
  assert.match(node.logged(), /handshake refused/);
  const signature = token.split('.')[2] ?? '';
  assert.ok(!node.logged().includes(signature));
  assert.doesNotMatch(node.logged(), /token[=.]/);
});

test('handshakes wait for a database that is away no longer than their limit', async () => {
  const { Pool } = await import('pg');
  const blocker = new Pool({ connectionString: database.url });
  const hold = await blocker.connect();
  await hold.query('begin; lock table memberships in access exclusive mode');
  const waiting = await startNode(database, truth, {
    policy: { handshakeTimeoutMs: 100, maxPendingHandshakes: 2 },
    tokenKeys: [testMasterKey],
  });
  const slow = [attempt(waiting), attempt(waiting)].map((each) =>
    each.then(
      ({ status }) => status,
      () => 'cut off',
    ),
  );
  await until(
    async () => (await attempt(waiting, { query: 'channel=workflows&token=x' })).status === 503,
    'the queue is full',
  );
  assert.deepEqual(await Promise.all(slow), ['cut off', 'cut off']);
  await hold.query('rollback');
  hold.release();
  await blocker.end();
  await until(async () => (await attempt(waiting)).status === 101, 'handshakes go on');
  await waiting.stop();
});
