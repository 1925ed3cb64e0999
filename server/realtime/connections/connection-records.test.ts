import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { test } from 'node:test';
import { WebSocket } from 'ws';
import { countNodes, countRecords } from '#test/support/realtime/membership-changes.ts';
import { createRealtimeWorld, runOf } from '#test/support/realtime/realtime-world.ts';
import { connect } from '#test/support/realtime/test-client.ts';
import { testMasterKey } from '#test/support/database/test-database.ts';
import { removeFromTeam } from '#test/support/team/people.ts';
import { deleteRows, countRows, readRows } from '#test/support/database/rows.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const { database, insertIntegration, newGrant, store, startNode } = await createRealtimeWorld();
const integrationIds = await Promise.all([1, 2, 3].map(() => insertIntegration()));
const grant = await newGrant(...integrationIds);

const counts = async () => ({ nodes: await countNodes(database), records: await countRecords(database) });

async function untilCounts(nodes: number, records: number): Promise<void> {
  await waitUntil(`${nodes} nodes and ${records} records`, async () => {
    const now = await counts();
    return now.nodes === nodes && now.records === records;
  });
}

test('one record an integration while a socket is open, none after it closed in whatever way', async () => {
  const node = await startNode();
  const clients = await Promise.all([1, 2, 3].map(() => connect(node, grant)));
  assert.deepEqual(await counts(), { nodes: 1, records: 9 });
  for (const integrationId of integrationIds) {
    const ofUser = { integration_id: integrationId, user_id: grant.userId };
    assert.equal(await countRows(database, 'ws_connection', ofUser), 3);
  }
  clients[0]?.ws.close();
  await untilCounts(1, 6);
  clients[1]?.ws.terminate();
  await untilCounts(1, 3);
  await node.stop();
  assert.deepEqual(await counts(), { nodes: 0, records: 0 });
});

test('records are only for memberships that exist now, whatever the token says', async () => {
  const node = await startNode();
  const { userId: person } = await newGrant(...integrationIds.slice(0, 2));
  await removeFromTeam(database, integrationIds[0] ?? '', person);
  const client = await connect(node, { userId: person, integrationIds });
  const records = await Promise.all(
    integrationIds.map((id) => countRows(database, 'ws_connection', { integration_id: id })),
  );
  assert.deepEqual(records, [0, 1, 0]);
  node.realtime.deliver(await store(integrationIds.map((id) => runOf(id, 1))));
  await waitUntil('the update of the one integration', () => client.updates().length > 0);
  assert.deepEqual(
    client.updates().map((message) => message.integrationId),
    [integrationIds[1]],
  );
  client.ws.terminate();
  await node.stop();
});

test("a killed process's records are removed by another node once its lease is over", async () => {
  const policy = { heartbeatEveryMs: 50, leaseMs: 1_500, reapEveryMs: 50 };
  const script = path.join(import.meta.dirname, '../../../test/support/realtime/realtime-node-process.ts');
  const child = fork(script, [database.url, testMasterKey.toString('base64'), JSON.stringify(policy)]);
  const [port] = (await once(child, 'message')) as [number];
  const node = await startNode({ policy });
  const { token } = node.realtime.mintToken({ ...grant, sessionId: 'test' });
  const sockets = Array.from(
    { length: 5 },
    () => new WebSocket(`ws://127.0.0.1:${port}/ws?token=${token}&channel=workflows`),
  );
  for (const ws of sockets) ws.on('error', () => {});
  await Promise.all(sockets.map((ws) => once(ws, 'open')));
  const mine = await connect(node, grant);
  assert.deepEqual(await counts(), { nodes: 2, records: 18 });

  child.kill('SIGKILL');
  await once(child, 'exit');
  await untilCounts(1, 3);
  assert.match(node.logged(), /connection records of dead nodes removed/);
  mine.ws.terminate();
  await node.stop();
});

test('a node whose row was lost accepts sockets at once, and its row comes back', async () => {
  const node = await startNode({ policy: { heartbeatEveryMs: 1_000_000 } });
  const early = await connect(node, grant);
  await deleteRows(database, 'ws_node');
  assert.deepEqual(await counts(), { nodes: 0, records: 0 });
  const late = await connect(node, grant);
  assert.deepEqual(await counts(), { nodes: 1, records: 3 });
  for (const { ws } of [early, late]) ws.terminate();
  await untilCounts(1, 0);
  await node.stop();

  const beating = await startNode({ policy: { heartbeatEveryMs: 20 } });
  await deleteRows(database, 'ws_node');
  await untilCounts(1, 0);
  await beating.stop();
});

test('a node that is alive keeps its row, and others keep theirs', async () => {
  const policy = { heartbeatEveryMs: 20, leaseMs: 1_000, reapEveryMs: 20 };
  const [a, b] = [await startNode({ policy }), await startNode({ policy })];
  const firstEnd = async () =>
    Math.min(...(await readRows(database, 'ws_node')).map(({ lease_until: at }) => Number(at)));
  const started = await firstEnd();
  await waitUntil('leases renewed beyond their first end', async () => (await firstEnd()) > started + 1_500);
  assert.equal((await counts()).nodes, 2);
  await a.stop();
  await b.stop();
});

test('many handshakes share statements, and each gets its own answer', async () => {
  const node = await startNode({
    policy: { maxConnectionsPerUser: 1_000, recordsPerStatement: 10 },
  });
  const { userId: stranger } = await newGrant();
  const results = await Promise.allSettled(
    Array.from({ length: 60 }, (_, index) =>
      index % 3 === 0 ? connect(node, { userId: stranger, integrationIds }) : connect(node, grant),
    ),
  );
  const refused = results.flatMap((result, index) => (result.status === 'rejected' ? [index] : []));
  assert.deepEqual(
    refused,
    Array.from({ length: 20 }, (_, index) => index * 3),
  );
  assert.equal((await counts()).records, 120);
  await node.stop();
  assert.deepEqual(await counts(), { nodes: 0, records: 0 });
});
