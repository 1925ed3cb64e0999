import assert from 'node:assert/strict';
import { connect as connectTcp } from 'node:net';
import { test } from 'node:test';
import pg from 'pg';
import { countRecords } from '#test/support/realtime/membership-changes.ts';
import { attempt } from '#test/support/realtime/handshake-attempt.ts';
import { createRealtimeWorld, upTo } from '#test/support/realtime/realtime-world.ts';
import { connect } from '#test/support/realtime/test-client.ts';
import { removeFromTeam } from '#test/support/team/people.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const { database, insertIntegration, newGrant, newIntegration, startNode } = await createRealtimeWorld();
const { integrationId, grant } = await newIntegration();

const node = await startNode();
test.after(() => node.stop());

test('a token opens several sockets inside its life', async () => {
  const { token } = node.realtime.mintToken({ ...grant, sessionId: 'test' });
  const query = `token=${token}&channel=workflows`;
  assert.deepEqual(
    [(await attempt(node, grant, { query })).status, (await attempt(node, grant, { query })).status],
    [101, 101],
  );
});

test('somebody without integrations is accepted and has no record', async () => {
  const newcomer = await newGrant();
  const client = await connect(node, newcomer, { isControl: true });
  await waitUntil('hello', () => client.messages.length === 1);
  assert.deepEqual(client.messages, [{ v: 1, type: 'hello', cursors: {} }]);
  assert.equal(await countRecords(database, newcomer.userId), 0);
  client.ws.terminate();
});

test('a token of more than 100 integrations connects to all that membership allows now', async () => {
  const mine = await Promise.all(upTo(101).map(() => insertIntegration()));
  const theirs = await newGrant(...mine);
  await removeFromTeam(database, mine[0] ?? '', theirs.userId);
  const client = await connect(node, theirs, { isControl: true });
  await waitUntil('hello', () => client.messages.length === 1);
  const [hello] = client.messages;
  assert.ok(hello?.type === 'hello');
  assert.deepEqual(Object.keys(hello.cursors).sort(), mine.slice(1).sort());
  client.ws.terminate();
});

test('a person may hold 10 sockets on a node, then 429 until one closes', async () => {
  const theirs = await newGrant(integrationId);
  const clients = await Promise.all(upTo(10).map(() => connect(node, theirs)));
  await assert.rejects(connect(node, theirs), /refused with 429/);
  const page = await connect(node, theirs, { isControl: true });
  assert.equal(await page.closed, 4430, 'the close code says so');
  assert.deepEqual(page.messages, []);
  clients[0]?.ws.close();
  await waitUntil('a place is free', () =>
    connect(node, theirs).then(
      ({ ws }) => (ws.terminate(), true),
      () => false,
    ),
  );
  for (const { ws } of clients) ws.terminate();
});

test('handshakes of one address are limited before anything is verified, with Retry-After', async () => {
  const limited = await startNode({
    addressOf: (incoming) => String(incoming.headers['x-test-address']),
    policy: { handshakesPerAddress: 3, handshakeWindowMs: 3_600_000 },
  });
  const from = (address: string) =>
    attempt(limited, grant, { query: 'channel=workflows&token=x', headers: { 'x-test-address': address } });
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
  const small = await startNode({ policy: { maxConnections: 1 } });
  const client = await connect(small, grant);
  const full = await attempt(small, grant);
  assert.equal(full.status, 503);
  assert.ok(Number(full.headers['retry-after']) > 0);
  const drained = small.realtime.drain();
  assert.equal((await attempt(small, grant, { path: '/other' })).status, 503);
  await drained;
  assert.equal(await client.closed, 1012);
  await small.stop();
});

test('a client that goes away during its handshake leaves nothing behind', async () => {
  const theirs = await newGrant(integrationId);
  const { token } = node.realtime.mintToken({ ...theirs, sessionId: 'test' });
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
  await waitUntil('the records are gone', async () => (await countRecords(database, theirs.userId)) === 0);
  const clients = await Promise.all(upTo(10).map(() => connect(node, theirs)));
  for (const { ws } of clients) ws.terminate();
});

test('handshakes wait for a database that is away no longer than their limit', async () => {
  const blocker = new pg.Pool({ connectionString: database.url });
  const hold = await blocker.connect();
  await hold.query('begin; lock table memberships in access exclusive mode');
  const waiting = await startNode({
    policy: { handshakeTimeoutMs: 2_000, maxPendingHandshakes: 2 },
  });
  const slow = [attempt(waiting, grant), attempt(waiting, grant)].map((each) =>
    each.then(
      ({ status }) => status,
      () => 'cut off',
    ),
  );
  await waitUntil(
    'the queue is full',
    async () => (await attempt(waiting, grant, { query: 'channel=workflows&token=x' })).status === 503,
  );
  assert.deepEqual(await Promise.all(slow), ['cut off', 'cut off']);
  await hold.query('rollback');
  hold.release();
  await blocker.end();
  await waitUntil('handshakes go on', async () => (await attempt(waiting, grant)).status === 101);
  await waiting.stop();
});
