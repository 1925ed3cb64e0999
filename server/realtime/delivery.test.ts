import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { pino } from 'pino';
import { makeGate } from '#test/support/waiting/gate.ts';
import {
  connect,
  makeMember,
  makeTruth,
  runOf,
  startNode,
  store,
  until,
  type TestClient,
} from '#test/support/realtime/realtime-node.ts';
import { createTestDatabase } from '#test/support/database/test-database.ts';
import { untilSessionWaits } from '#test/support/database/waiting-sessions.ts';
import { insertIntegration } from '#test/support/database/insert-integration.ts';
import { makePush } from './outbox/push.ts';

const database = await createTestDatabase();
const truth = makeTruth();
const log = pino({ level: 'silent' });
const roomy = { maxConnectionsPerUser: 10_000 };
const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

async function newIntegration() {
  const integrationId = await insertIntegration(database);
  const userId = await makeMember(database, [integrationId]);
  return { integrationId, grant: { userId, integrationIds: [integrationId] } };
}

const seqsOf = (client: TestClient): number[] => client.updates().map(({ seq }) => seq);

test('a plain client gets the update as its first message, as stored', async () => {
  const node = await startNode(database, truth);
  const { integrationId, grant } = await newIntegration();
  const client = await connect(node, grant);
  const run = runOf(integrationId, 1, 'a title with é, 😀 and \ud800');
  const [pushed] = await store(database, truth, [run]);
  node.realtime.deliver(pushed ? [pushed] : []);
  await until(() => client.messages.length > 0, 'the update arrives');
  assert.deepEqual(client.messages, [JSON.parse(JSON.stringify(pushed))]);
  assert.deepEqual(Object.keys(client.messages[0] ?? {}), [
    'v',
    'type',
    'integrationId',
    'epoch',
    'seq',
    'at',
    'data',
  ]);
  await node.stop();
  assert.equal(await client.closed, 1012);
  assert.equal(client.messages.length, 1);
});

test('a client that requested control messages receives its position first', async () => {
  const node = await startNode(database, truth);
  const { integrationId, grant } = await newIntegration();
  const [first] = await store(database, truth, [runOf(integrationId, 1)]);
  const client = await connect(node, grant, { isControl: true });
  // An update stored before the position is read would be part of the position.
  await until(() => client.messages.length === 1, 'hello');
  node.realtime.deliver(await store(database, truth, [runOf(integrationId, 2)]));
  await until(() => client.messages.length === 2, 'the update');
  assert.deepEqual(client.messages[0], {
    v: 1,
    type: 'hello',
    cursors: { [integrationId]: { epoch: first?.epoch, seq: 1 } },
  });
  assert.deepEqual(seqsOf(client), [2]);
  await node.stop();
});

test('sockets get the updates of their own integrations alone', async () => {
  const node = await startNode(database, truth);
  const [a, b] = [await newIntegration(), await newIntegration()];
  const [ofA, ofB] = [await connect(node, a.grant), await connect(node, b.grant)];
  node.realtime.deliver(
    await store(database, truth, [
      runOf(a.integrationId, 1),
      runOf(b.integrationId, 1),
      runOf(a.integrationId, 2),
    ]),
  );
  await until(() => ofA.messages.length === 2 && ofB.messages.length === 1, 'three updates');
  assert.ok(ofA.updates().every(({ integrationId }) => integrationId === a.integrationId));
  assert.ok(ofB.updates().every(({ integrationId }) => integrationId === b.integrationId));
  await node.stop();
});

test('every socket on two nodes gets every update once and in order, though half of the notifications are lost', async () => {
  const policy = { ...roomy, pollEveryMs: 50 };
  const nodes = [await startNode(database, truth, { policy }), await startNode(database, truth, { policy })];
  const [a, b] = [await newIntegration(), await newIntegration()];
  const clients = await Promise.all(
    upTo(40).map((index) => connect(nodes[index % 2]!, index % 3 === 0 ? b.grant : a.grant)),
  );
  const elsewhere = makePush({ db: database.worker, log });
  const here = makePush({
    db: database.worker,
    log,
    node: { deliver: nodes[0]!.realtime.deliver, isOnlyNode: () => false },
  });
  for (const round of upTo(150)) {
    const messages = await store(database, truth, [
      runOf(a.integrationId, round),
      runOf(b.integrationId, round),
    ]);
    const how = (round * 7919) % 4;
    if (how === 0) here.publish(messages);
    if (how === 1) elsewhere.publish(messages);
    if (how === 2) nodes[1]!.realtime.deliver(messages);
  }
  await until(() => clients.every((client) => seqsOf(client).at(-1) === 150), 'the last update everywhere');
  for (const client of clients) assert.deepEqual(seqsOf(client), upTo(150));
  await Promise.all([here.stop(), elsewhere.stop(), ...nodes.map((node) => node.stop())]);
});

test('commits announced in the wrong order, twice, or by two writers at once are still passed on in order', async () => {
  const node = await startNode(database, truth);
  const { integrationId, grant } = await newIntegration();
  const client = await connect(node, grant);
  const stored = await Promise.all(
    upTo(30).map((runId) => store(database, truth, [runOf(integrationId, runId)])),
  );
  for (const messages of stored.toReversed()) node.realtime.deliver(messages);
  for (const messages of stored) node.realtime.deliver(messages);
  await until(() => seqsOf(client).at(-1) === 30, 'all updates');
  assert.deepEqual(seqsOf(client), upTo(30));
  await node.stop();
});

test('an update committed while a socket joins is not lost, though its announcement found nobody', async () => {
  const node = await startNode(database, truth, { policy: { pollEveryMs: 1_000_000 } });
  const { integrationId, grant } = await newIntegration();
  const owner = new pg.Client({ connectionString: database.url });
  await owner.connect();
  // The handshake has read the counter and waits for the node's row.
  await owner.query('begin; select from ws_node for update');
  const joining = connect(node, grant, { isControl: true });
  await untilSessionWaits(database, 'the handshake');
  node.realtime.deliver(await store(database, truth, [runOf(integrationId, 1), runOf(integrationId, 2)]));
  await owner.query('commit');
  const client = await joining;
  await until(() => client.messages.length === 3, 'hello and both updates');
  assert.deepEqual(
    client.messages.map((message) => ('seq' in message ? message.seq : message.type)),
    ['hello', 1, 2],
  );
  await owner.end();
  await node.stop();
});

test('updates that arrive in this process while they are being read from the database are sent once', async () => {
  const gate = makeGate();
  const node = await startNode(database, truth, {
    policy: { pollEveryMs: 20 },
    loadUpdates: async (tx, pointers) => {
      await gate.passed();
      return truth.loadUpdates(tx, pointers);
    },
  });
  const { integrationId, grant } = await newIntegration();
  const client = await connect(node, grant);
  gate.close();
  const stored = await store(database, truth, [runOf(integrationId, 1), runOf(integrationId, 2)]);
  await until(() => gate.waiting() > 0, 'they are being read');
  node.realtime.deliver(stored);
  node.realtime.deliver(await store(database, truth, [runOf(integrationId, 3)]));
  gate.open();
  await until(() => gate.waiting() === 0 && seqsOf(client).length >= 3, 'three updates');
  node.realtime.deliver(await store(database, truth, [runOf(integrationId, 4)]));
  await until(() => seqsOf(client).at(-1) === 4, 'the last update');
  assert.deepEqual(seqsOf(client), [1, 2, 3, 4]);
  await node.stop();
});

test('a large fan-out is written over several turns without mixing up its order, and those who join meanwhile get none of it', async () => {
  const node = await startNode(database, truth, { policy: { ...roomy, socketsPerTurn: 1 } });
  const { integrationId, grant } = await newIntegration();
  const clients = await Promise.all(upTo(100).map(() => connect(node, grant)));
  const stored = await Promise.all(
    upTo(60).map((runId) => store(database, truth, [runOf(integrationId, runId)])),
  );
  for (const messages of stored.toSorted((a, b) => (a[0]?.seq ?? 0) - (b[0]?.seq ?? 0))) {
    node.realtime.deliver(messages);
  }
  clients.shift()?.ws.terminate();
  const late = await Promise.all(upTo(3).map(() => connect(node, grant, { isControl: true })));
  const isStillWriting = clients.some((client) => seqsOf(client).length < 60);
  node.realtime.deliver(await store(database, truth, [runOf(integrationId, 61)]));
  await until(() => [...clients, ...late].every((client) => seqsOf(client).at(-1) === 61), 'the last update');
  assert.ok(isStillWriting, 'the fan-out was over too early to prove anything');
  for (const client of clients) assert.deepEqual(seqsOf(client), upTo(61));
  for (const client of late) assert.deepEqual(seqsOf(client), [61]);
  await node.stop();
});
