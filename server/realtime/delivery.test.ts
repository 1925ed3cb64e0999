import assert from 'node:assert/strict';
import { test } from 'node:test';

import { pino } from 'pino';
import { makeGate } from '#test/support/waiting/gate.ts';
import { createRealtimeWorld, runOf, runsOf, upTo } from '#test/support/realtime/realtime-world.ts';
import { connect, seqsAndTypesOf, seqsOf } from '#test/support/realtime/test-client.ts';
import { joinWhile } from '#test/support/realtime/held-handshake.ts';
import { makePush } from './outbox/push.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const { database, truth, newIntegration, store, startNode } = await createRealtimeWorld();
const log = pino({ level: 'silent' });
const roomy = { maxConnectionsPerUser: 10_000 };

test('a plain client gets the update as its first message, as stored', async () => {
  const node = await startNode();
  const { integrationId, grant } = await newIntegration();
  const client = await connect(node, grant);
  const run = runOf(integrationId, 1, 'a title with é, 😀 and \ud800');
  const [pushed] = await store([run]);
  node.realtime.deliver(pushed ? [pushed] : []);
  await waitUntil('the update arrives', () => client.messages.length > 0);
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
  const node = await startNode();
  const { integrationId, grant } = await newIntegration();
  const [first] = await store([runOf(integrationId, 1)]);
  const client = await connect(node, grant, { isControl: true });
  // An update stored before the position is read would be part of the position.
  await waitUntil('hello', () => client.messages.length === 1);
  node.realtime.deliver(await store([runOf(integrationId, 2)]));
  await waitUntil('the update', () => client.messages.length === 2);
  assert.deepEqual(client.messages[0], {
    v: 1,
    type: 'hello',
    cursors: { [integrationId]: { epoch: first?.epoch, seq: 1 } },
  });
  assert.deepEqual(seqsOf(client), [2]);
  await node.stop();
});

test('sockets get the updates of their own integrations alone', async () => {
  const node = await startNode();
  const [a, b] = [await newIntegration(), await newIntegration()];
  const [ofA, ofB] = [await connect(node, a.grant), await connect(node, b.grant)];
  node.realtime.deliver(
    await store([runOf(a.integrationId, 1), runOf(b.integrationId, 1), runOf(a.integrationId, 2)]),
  );
  await waitUntil('three updates', () => ofA.messages.length === 2 && ofB.messages.length === 1);
  assert.ok(ofA.updates().every(({ integrationId }) => integrationId === a.integrationId));
  assert.ok(ofB.updates().every(({ integrationId }) => integrationId === b.integrationId));
  await node.stop();
});

test('every socket on two nodes gets every update once and in order, though half of the notifications are lost', async () => {
  const policy = { ...roomy, pollEveryMs: 50 };
  const nodes = [await startNode({ policy }), await startNode({ policy })];
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
    const messages = await store([runOf(a.integrationId, round), runOf(b.integrationId, round)]);
    const how = (round * 7919) % 4;
    if (how === 0) here.publish(messages);
    if (how === 1) elsewhere.publish(messages);
    if (how === 2) nodes[1]!.realtime.deliver(messages);
  }
  await waitUntil('the last update everywhere', () =>
    clients.every((client) => seqsOf(client).at(-1) === 150),
  );
  for (const client of clients) assert.deepEqual(seqsOf(client), upTo(150));
  await Promise.all([here.stop(), elsewhere.stop(), ...nodes.map((node) => node.stop())]);
});

test('commits announced in the wrong order, twice, or by two writers at once are still passed on in order', async () => {
  const node = await startNode();
  const { integrationId, grant } = await newIntegration();
  const client = await connect(node, grant);
  const stored = await Promise.all(upTo(30).map((runId) => store([runOf(integrationId, runId)])));
  for (const messages of stored.toReversed()) node.realtime.deliver(messages);
  for (const messages of stored) node.realtime.deliver(messages);
  await waitUntil('all updates', () => seqsOf(client).at(-1) === 30);
  assert.deepEqual(seqsOf(client), upTo(30));
  await node.stop();
});

test('an update committed while a socket joins is not lost, though its announcement found nobody', async () => {
  const node = await startNode({ policy: { pollEveryMs: 1_000_000 } });
  const { integrationId, grant } = await newIntegration();
  const client = await joinWhile(
    database,
    () => connect(node, grant, { isControl: true }),
    async () => node.realtime.deliver(await store(runsOf(integrationId, 2))),
  );
  await waitUntil('hello and both updates', () => client.messages.length === 3);
  assert.deepEqual(seqsAndTypesOf(client), ['hello', 1, 2]);
  await node.stop();
});

test('updates that arrive in this process while they are being read from the database are sent once', async () => {
  const gate = makeGate();
  const node = await startNode({
    policy: { pollEveryMs: 20 },
    loadUpdates: async (tx, pointers) => {
      await gate.passed();
      return truth.loadUpdates(tx, pointers);
    },
  });
  const { integrationId, grant } = await newIntegration();
  const client = await connect(node, grant);
  gate.close();
  const stored = await store([runOf(integrationId, 1), runOf(integrationId, 2)]);
  await waitUntil('they are being read', () => gate.waiting() > 0);
  node.realtime.deliver(stored);
  node.realtime.deliver(await store([runOf(integrationId, 3)]));
  gate.open();
  await waitUntil('three updates', () => gate.waiting() === 0 && seqsOf(client).length >= 3);
  node.realtime.deliver(await store([runOf(integrationId, 4)]));
  await waitUntil('the last update', () => seqsOf(client).at(-1) === 4);
  assert.deepEqual(seqsOf(client), [1, 2, 3, 4]);
  await node.stop();
});

test('a large fan-out is written over several turns without mixing up its order, and those who join meanwhile get none of it', async () => {
  const node = await startNode({ policy: { ...roomy, socketsPerTurn: 1 } });
  const { integrationId, grant } = await newIntegration();
  const clients = await Promise.all(upTo(100).map(() => connect(node, grant)));
  const stored = await Promise.all(upTo(60).map((runId) => store([runOf(integrationId, runId)])));
  for (const messages of stored.toSorted((a, b) => (a[0]?.seq ?? 0) - (b[0]?.seq ?? 0))) {
    node.realtime.deliver(messages);
  }
  clients.shift()?.ws.terminate();
  const late = await Promise.all(upTo(3).map(() => connect(node, grant, { isControl: true })));
  const isStillWriting = clients.some((client) => seqsOf(client).length < 60);
  node.realtime.deliver(await store([runOf(integrationId, 61)]));
  await waitUntil('the last update', () =>
    [...clients, ...late].every((client) => seqsOf(client).at(-1) === 61),
  );
  assert.ok(isStillWriting, 'the fan-out was over too early to prove anything');
  for (const client of clients) assert.deepEqual(seqsOf(client), upTo(61));
  for (const client of late) assert.deepEqual(seqsOf(client), [61]);
  await node.stop();
});
