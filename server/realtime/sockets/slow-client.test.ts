import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { countRecords } from '#test/support/realtime/membership-changes.ts';
import { removeFromTeam } from '#test/support/team/people.ts';
import type { TestNode } from '#test/support/realtime/realtime-node.ts';
import { createRealtimeWorld, runOf } from '#test/support/realtime/realtime-world.ts';
import { connect, typesOf } from '#test/support/realtime/test-client.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const { database, insertIntegration, newGrant, newIntegration, store, startNode } =
  await createRealtimeWorld();
const { integrationId, grant } = await newIntegration();
/** Far beyond what the kernel takes for one socket. */
const large = 'x'.repeat(512 * 1024);

/** A client that opens a socket and then reads nothing; `protocol` asks for control messages. */
async function connectDeaf(node: TestNode, protocol?: string, to = grant): Promise<Socket> {
  const { port } = new URL(node.url);
  const { token } = node.realtime.mintToken({ ...to, sessionId: 'test' });
  const socket = createConnection(Number(port), '127.0.0.1');
  socket.on('error', () => {});
  socket.write(
    `GET /ws?token=${token}&channel=workflows HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n' +
      `${protocol === undefined ? '' : `Sec-WebSocket-Protocol: ${protocol}\r\n`}\r\n`,
  );
  await new Promise<void>((resolve) => socket.once('readable', resolve));
  assert.match(String(socket.read()), /^HTTP\/1.1 101/);
  socket.pause();
  return socket;
}

async function metric(node: TestNode, name: string, labels = ''): Promise<number> {
  const line = (await node.metrics.metrics())
    .split('\n')
    .find((each) => each.startsWith(`${name}${labels} `));
  return Number(line?.split(' ')[1] ?? 0);
}

const ended = (node: TestNode, reason: string) =>
  metric(node, 'forgewatch_realtime_ended_total', `{reason="${reason}"}`);

async function push(node: TestNode, title: string, count = 1): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    node.realtime.deliver(await store([runOf(integrationId, 1, title)]));
  }
}

test('a client that never reads is cut off with its record, and the others get everything', async () => {
  const node = await startNode({ policy: { sweepEveryMs: 20, lagTimeoutMs: 300 } });
  const healthy = await connect(node, grant);
  const deaf = [await connectDeaf(node), await connectDeaf(node)];
  let pushed = 0;
  await waitUntil('both are cut off', async () => {
    await push(node, large);
    pushed += 1;
    return (await metric(node, 'forgewatch_realtime_connections')) === 1;
  });
  assert.equal((await ended(node, 'lagging')) + (await ended(node, 'queue')), 2);
  await waitUntil('all updates', () => healthy.updates().length === pushed);
  await waitUntil('records gone', async () => (await countRecords(database)) === 1);
  for (const socket of deaf) socket.destroy();
  await node.stop();
});

test('a lagging client is sent nothing more, and is asked to read again once it has caught up', async () => {
  const node = await startNode({ policy: { sweepEveryMs: 1_000_000 } });
  const socket = await connectDeaf(node, 'workflows.v1');
  await waitUntil('it lags', async () => {
    await push(node, large);
    return (await metric(node, 'forgewatch_realtime_lagging')) === 1;
  });
  const before = await metric(node, 'forgewatch_realtime_messages_total');
  await push(node, 'left out', 5);
  assert.equal(await metric(node, 'forgewatch_realtime_messages_total'), before);
  let tail = '';
  socket.on('data', (chunk: Buffer) => (tail = (tail + chunk.toString('latin1')).slice(-1_000)));
  socket.resume();
  await waitUntil('a resync as the last message', () => tail.endsWith('{"v":1,"type":"resync"}'));
  assert.equal(await metric(node, 'forgewatch_realtime_lagging'), 0);
  await push(node, 'goes on');
  await waitUntil('updates go on', () => tail.includes('goes on'));
  assert.doesNotMatch(tail, /left out/);
  socket.destroy();
  await node.stop();
});

test('a lagging client hears what became of its access once it has caught up', async () => {
  const node = await startNode({ policy: { sweepEveryMs: 1_000_000 } });
  const other = await insertIntegration();
  const to = await newGrant(integrationId, other);
  const reading = await connect(node, to, { isControl: true });
  const socket = await connectDeaf(node, 'workflows.v1', to);
  await waitUntil('it lags', async () => {
    await push(node, large);
    return (await metric(node, 'forgewatch_realtime_lagging')) === 1;
  });
  await removeFromTeam(database, other, to.userId);
  await waitUntil('the one that reads hears it at once', () => typesOf(reading).includes('access.revoked'));
  let tail = '';
  socket.on('data', (chunk: Buffer) => (tail = (tail + chunk.toString('latin1')).slice(-1_000)));
  socket.resume();
  await waitUntil('a resync as the last message', () => tail.endsWith('{"v":1,"type":"resync"}'));
  assert.ok(tail.includes(`{"v":1,"type":"access.revoked","integrationId":"${other}"}`));
  socket.destroy();
  await node.stop();
});

test('no pong in time after a ping ends the connection, a pong keeps it', async () => {
  const node = await startNode({
    policy: { sweepEveryMs: 10, pingEveryMs: 50, pongTimeoutMs: 500 },
  });
  const alive = await connect(node, grant);
  let pings = 0;
  alive.ws.on('ping', () => (pings += 1));
  const silent = await connectDeaf(node);
  await waitUntil('the silent one is cut off', async () => (await ended(node, 'no-pong')) === 1);
  await waitUntil('the other is asked again and again', () => pings > 20);
  assert.equal(alive.ws.readyState, alive.ws.OPEN);
  assert.equal(await metric(node, 'forgewatch_realtime_connections'), 1);
  silent.destroy();
  await node.stop();
});

/** A client in a thread of its own, which answers pings while this one is held up; counts them in `pings`. */
async function connectFromThread(node: TestNode, pings: Int32Array): Promise<Worker> {
  const { token } = node.realtime.mintToken({ ...grant, sessionId: 'test' });
  const client = new Worker(
    `const { parentPort, workerData } = require('node:worker_threads');
     const { WebSocket } = require('ws');
     const ws = new WebSocket(workerData.url);
     ws.on('open', () => parentPort.postMessage('open'));
     ws.on('ping', () => Atomics.add(workerData.pings, 0, 1));`,
    { eval: true, workerData: { url: `${node.url}?token=${token}&channel=workflows`, pings } },
  );
  await once(client, 'message');
  return client;
}

test('a node that was blocked for longer than the pong time disconnects no client that has answered', async () => {
  const pongTimeoutMs = 1_000;
  const node = await startNode({
    policy: { sweepEveryMs: 5, pingEveryMs: 1, pongTimeoutMs },
  });
  const pings = new Int32Array(new SharedArrayBuffer(4));
  const client = await connectFromThread(node, pings);
  for (let round = 0; round < 3; round += 1) {
    const before = Atomics.load(pings, 0);
    await waitUntil('a ping', () => Atomics.load(pings, 0) > before);
    await new Promise((resolve) => setImmediate(resolve));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1.5 * pongTimeoutMs);
  }
  const before = Atomics.load(pings, 0);
  await waitUntil('pings go on', () => Atomics.load(pings, 0) > before + 1);
  assert.equal(await metric(node, 'forgewatch_realtime_connections'), 1);
  assert.equal(await ended(node, 'no-pong'), 0);
  await client.terminate();
  await node.stop();
});

test('beyond the budget of the node the largest queue goes first, and only as many as needed', async () => {
  const megabyte = 1024 * 1024;
  const node = await startNode({
    policy: {
      sweepEveryMs: 20,
      lagBytes: 48 * megabyte,
      maxQueuedBytes: 64 * megabyte,
      nodeBudgetBytes: 12 * megabyte,
    },
  });
  const early = await connectDeaf(node);
  await push(node, large, 12);
  const late = await connectDeaf(node);
  let queued = 0;
  await waitUntil('one is shed', async () => {
    await push(node, large);
    queued = Math.max(queued, await metric(node, 'forgewatch_realtime_queued_bytes'));
    return (await ended(node, 'budget')) === 1;
  });
  assert.ok(queued > 12 * megabyte - 2 * large.length);
  assert.equal(await metric(node, 'forgewatch_realtime_connections'), 1);
  for (const socket of [early, late]) socket.resume();
  await waitUntil('the larger one is closed', () => early.closed);
  assert.equal(late.closed, false);
  late.destroy();
  await node.stop();
});
