import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import {
  connect,
  makeIntegration,
  makeMember,
  makeTruth,
  runOf,
  startNode,
  store,
  until,
  type TestClient,
} from '#test/support/realtime-node.ts';
import { createTestDatabase } from '#test/support/test-database.ts';
import { makePush } from './push.ts';

const database = await createTestDatabase();
const truth = makeTruth();
const log = pino({ level: 'silent' });
const roomy = { maxConnectionsPerUser: 10_000 };
const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

async function newIntegration() {
  const integrationId = await makeIntegration(database);
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

test('a client that asked for control messages is told where it stands first', async () => {
  const node = await startNode(database, truth);
  const { integrationId, grant } = await newIntegration();
  const [first] = await store(database, truth, [runOf(integrationId, 1)]);
  const client = await connect(node, grant, { isControl: true });
  node.realtime.deliver(await store(database, truth, [runOf(integrationId, 2)]));
  await until(() => client.messages.length === 2, 'hello and the update');
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
    node: { deliver: nodes[0]!.realtime.deliver, isAlone: () => false },
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

test('an update committed while a socket joins is not lost, whatever the timing', async () => {
  const node = await startNode(database, truth, { policy: { ...roomy, pollEveryMs: 1_000_000 } });
  const push = makePush({ db: database.worker, log });
  for (const round of upTo(15)) {
    const { integrationId, grant } = await newIntegration();
    const [client] = await Promise.all([
      connect(node, grant, { isControl: true }),
      (async () => {
        for (const runId of upTo(round))
          push.publish(await store(database, truth, [runOf(integrationId, runId)]));
      })(),
    ]);
    await until(() => client.messages.length > 0, 'hello');
    const [hello] = client.messages;
    assert.ok(hello?.type === 'hello');
    const from = hello.cursors[integrationId]?.seq ?? NaN;
    await until(() => from === round || seqsOf(client).at(-1) === round, 'the last update');
    assert.deepEqual(seqsOf(client), upTo(round).slice(from));
    client.ws.terminate();
  }
  await push.stop();
  await node.stop();
});

test('a large fan-out is written over several turns without mixing up its order, also for those who join meanwhile', async () => {
  const node = await startNode(database, truth, { policy: { ...roomy, socketsPerTurn: 3 } });
  const { integrationId, grant } = await newIntegration();
  const clients = await Promise.all(upTo(50).map(() => connect(node, grant)));
  const joining: Promise<TestClient>[] = [];
  for (const runId of upTo(40)) {
    node.realtime.deliver(await store(database, truth, [runOf(integrationId, runId)]));
    if (runId % 10 === 0) joining.push(connect(node, grant));
    if (runId === 20) clients.shift()?.ws.terminate();
  }
  const joined = await Promise.all(joining);
  node.realtime.deliver(await store(database, truth, [runOf(integrationId, 41)]));
  await until(
    () => [...clients, ...joined].every((client) => seqsOf(client).at(-1) === 41),
    'the last update',
  );
  for (const client of clients) assert.deepEqual(seqsOf(client), upTo(41));
  for (const client of joined) assert.deepEqual(seqsOf(client), upTo(41).slice((seqsOf(client)[0] ?? 0) - 1));
  await node.stop();
});

test('after its listening connection broke, a node catches up at once', async () => {
  const node = await startNode(database, truth, { policy: { pollEveryMs: 1_000_000 } });
  const { integrationId, grant } = await newIntegration();
  const client = await connect(node, grant);
  await database.asOwner(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and query like 'listen%'`,
  );
  await store(database, truth, [runOf(integrationId, 1)]);
  await until(() => seqsOf(client).length === 1, 'the update');
  await node.stop();
});

test('updates whose pointers or objects are gone become a resync, and the rest goes on', async () => {
  const node = await startNode(database, truth, { policy: { pollEveryMs: 30 } });
  const { integrationId, grant } = await newIntegration();
  const [plain, control] = [await connect(node, grant), await connect(node, grant, { isControl: true })];
  const resyncs = (): number => control.messages.filter(({ type }) => type === 'resync').length;
  await store(database, truth, [runOf(integrationId, 1)]);
  truth.runs.delete(`${integrationId}/1`);
  await until(() => resyncs() === 1, 'a resync');
  node.realtime.deliver(await store(database, truth, [runOf(integrationId, 2)]));
  await until(() => seqsOf(plain).length === 1, 'the next update');
  assert.deepEqual([seqsOf(plain), seqsOf(control)], [[2], [2]]);
  assert.equal(plain.messages.length, 1);
  await node.stop();
});

test('a counter that began anew is told to clients and followed', async () => {
  const node = await startNode(database, truth, { policy: { pollEveryMs: 30 } });
  const { integrationId, grant } = await newIntegration();
  const client = await connect(node, grant, { isControl: true });
  node.realtime.deliver(
    await store(
      database,
      truth,
      upTo(5).map((runId) => runOf(integrationId, runId)),
    ),
  );
  await until(() => seqsOf(client).length === 5, 'five updates');
  await database.asOwner(`update realtime_stream set epoch = 'restored', seq = 2 where integration_id = $1`, [
    integrationId,
  ]);
  await until(() => client.messages.some(({ type }) => type === 'resync'), 'a resync');
  const again = await store(database, truth, [runOf(integrationId, 9)]);
  node.realtime.deliver(again);
  await until(() => seqsOf(client).length === 6, 'the next update');
  assert.deepEqual(client.updates().at(-1), JSON.parse(JSON.stringify(again[0])));
  await node.stop();
});

test('a node far behind tells its clients to read again instead of passing on every step', async () => {
  const node = await startNode(database, truth, {
    policy: { pollEveryMs: 30, maxReplay: 5, maxCatchUp: 20 },
  });
  const { integrationId, grant } = await newIntegration();
  const client = await connect(node, grant, { isControl: true });
  await store(
    database,
    truth,
    upTo(10).map((runId) => runOf(integrationId, runId)),
  );
  await until(() => seqsOf(client).length === 10, 'ten updates in steps of five');
  await store(
    database,
    truth,
    upTo(30).map((runId) => runOf(integrationId, runId)),
  );
  await until(() => client.messages.some(({ type }) => type === 'resync'), 'a resync');
  node.realtime.deliver(await store(database, truth, [runOf(integrationId, 31)]));
  await until(() => seqsOf(client).at(-1) === 41, 'the next update');
  assert.deepEqual(seqsOf(client), [...upTo(10), 41]);
  await node.stop();
});
