import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeFollowingClient } from '#test/support/realtime/following-client.ts';
import { countNodes, countRecords } from '#test/support/realtime/membership-changes.ts';
import { createRealtimeWorld, runOf, upTo } from '#test/support/realtime/realtime-world.ts';
import { connect } from '#test/support/realtime/test-client.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const { database, newIntegration, readEpoch, store, startNode } = await createRealtimeWorld();
const policy = { maxConnectionsPerUser: 10_000, pollEveryMs: 100, drainMs: 1_000, heartbeatEveryMs: 50 };

test('in a rolling restart of two nodes no client misses an update, and each reconnects once a restart', async () => {
  const { integrationId, grant } = await newIntegration();
  const epoch = await readEpoch(integrationId);
  let nodes = [await startNode({ policy }), await startNode({ policy })];
  const clients = await Promise.all(
    upTo(300).map(async (index) => {
      const client = makeFollowingClient(integrationId, async () => ({ epoch, seq: 0, runs: new Map() }));
      const follow = async (): Promise<void> => {
        // As a load balancer: the nodes that are not draining, in turn.
        const open = nodes.filter(({ realtime }) => !realtime.isDraining());
        const node = open[index % open.length];
        if (node === undefined) return;
        const url = `${node.url}?token=${node.realtime.mintToken({ ...grant, sessionId: 'test' }).token}&channel=workflows`;
        // It may have begun to drain since it was chosen: then it answers 503, and another one is asked.
        if (
          !(await client.open(url).then(
            () => true,
            () => false,
          ))
        )
          return follow();
        void client.closed.then((code) => (code === 1012 ? follow() : undefined));
      };
      await follow();
      return client;
    }),
  );

  const end = new AbortController();
  const storing = (async () => {
    let count = 0;
    for (; !end.signal.aborted; count += 1) {
      const messages = await store([runOf(integrationId, (count % 10) + 1, String(count))]);
      nodes[count % 2]?.realtime.deliver(messages);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return count;
  })();

  for (const index of [0, 1]) {
    await nodes[index]?.stop();
    const next = await startNode({ policy });
    nodes = nodes.map((node, at) => (at === index ? next : node));
  }
  end.abort();
  const count = await storing;
  await waitUntil('everybody has the last update', () =>
    clients.every(({ position }) => position?.seq === count),
  );
  for (const client of clients) {
    assert.deepEqual(client.applied, upTo(count));
    assert.equal(client.refetches, 1, 'only the first list was read');
    assert.ok(client.opens >= 2 && client.opens <= 3);
  }
  for (const client of clients) client.close();
  for (const node of nodes) await node.stop();
});

test('while draining, updates go on for those still there, newcomers are refused, and the record of the node goes last', async () => {
  const { integrationId, grant } = await newIntegration();
  const node = await startNode({ policy: { ...policy, drainSocketsPerSecond: 10 } });
  const clients = await Promise.all(upTo(20).map(() => connect(node, grant)));
  const stopped = node.stop();
  await Promise.race(clients.map(({ closed }) => closed));
  await assert.rejects(connect(node, grant), /refused with 503/);
  const still = clients.filter(({ ws }) => ws.readyState === ws.OPEN);
  assert.ok(still.length > 0);
  node.realtime.deliver(await store([runOf(integrationId, 1)]));
  await waitUntil('an update while draining', () => still.some(({ messages }) => messages.length === 1));
  assert.equal(await countNodes(database), 1);
  await stopped;
  assert.deepEqual(
    await Promise.all(clients.map(({ closed }) => closed)),
    upTo(20).map(() => 1012),
  );
  assert.equal(await countNodes(database), 0);
});

test('a client that does not answer the close does not hold up the end, and stopping twice is harmless', async () => {
  const { grant } = await newIntegration();
  const node = await startNode({ policy: { ...policy, closeTimeoutMs: 100 } });
  const client = await connect(node, grant);
  client.ws.pause();
  await Promise.all([node.realtime.drain(), node.realtime.service.stop()]);
  await node.realtime.service.stop();
  assert.equal(await countRecords(database), 0);
  client.ws.terminate();
  await node.stop();
});
