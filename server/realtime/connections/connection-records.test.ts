import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { test } from 'node:test';
import { WebSocket } from 'ws';
import {
  connect,
  makeMember,
  makeTruth,
  runOf,
  startNode,
  store,
  until,
} from '#test/support/realtime/realtime-node.ts';
import { createTestDatabase, testMasterKey } from '#test/support/database/test-database.ts';
import { insertIntegration } from '#test/support/database/insert-integration.ts';
import { removeFromTeam } from '#test/support/team/people.ts';
import { realtimePolicy } from '../policy.ts';

const database = await createTestDatabase();
const truth = makeTruth();
const integrationIds = await Promise.all([1, 2, 3].map(() => insertIntegration(database)));
const userId = await makeMember(database, integrationIds);
const grant = { userId, integrationIds };

interface Counts {
  nodes: number;
  records: number;
}

async function counts(): Promise<Counts> {
  const [row] = await database.asOwner<Counts & Record<string, number>>(
    'select (select count(*)::int from ws_node) as nodes, (select count(*)::int from ws_connection) as records',
  );
  return { nodes: row?.nodes ?? -1, records: row?.records ?? -1 };
}

async function untilCounts(nodes: number, records: number): Promise<void> {
  await until(async () => {
    const now = await counts();
    return now.nodes === nodes && now.records === records;
  }, `${nodes} nodes and ${records} records`);
}

test('one record an integration while a socket is open, none after it closed in whatever way', async () => {
  const node = await startNode(database, truth);
  const clients = await Promise.all([1, 2, 3].map(() => connect(node, grant)));
  assert.deepEqual(await counts(), { nodes: 1, records: 9 });
  const rows = await database.asOwner<{ user_id: string; integration_id: string }>(
    'select distinct user_id, integration_id from ws_connection order by integration_id',
  );
  assert.deepEqual(
    rows.map((row) => row.integration_id),
    integrationIds.toSorted(),
  );
  assert.ok(rows.every((row) => row.user_id === userId));
  clients[0]?.ws.close();
  await untilCounts(1, 6);
  clients[1]?.ws.terminate();
  await untilCounts(1, 3);
  await node.stop();
  assert.deepEqual(await counts(), { nodes: 0, records: 0 });
});

test('records are only for memberships that exist now, whatever the token says', async () => {
  const node = await startNode(database, truth);
  const person = await makeMember(database, integrationIds.slice(0, 2));
  await removeFromTeam(database, integrationIds[0] ?? '', person);
  const client = await connect(node, { userId: person, integrationIds });
  const rows = await database.asOwner<{ integration_id: string }>('select integration_id from ws_connection');
  assert.deepEqual(
    rows.map((row) => row.integration_id),
    [integrationIds[1]],
  );
  const messages = await store(
    database,
    truth,
    integrationIds.map((id) => runOf(id, 1)),
  );
  node.realtime.deliver(messages);
  await until(() => client.updates().length > 0, 'the update of the one integration');
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
  const node = await startNode(database, truth, { policy });
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

test('a node whose row was lost writes all its records again, and still accepts sockets meanwhile', async () => {
  const node = await startNode(database, truth, { policy: { heartbeatEveryMs: 1_000_000 } });
  const early = await connect(node, grant);
  await until(async () => {
    const renewed = await database.asOwner(
      `select from ws_node where lease_until > started_at + $1 * interval '1 ms'`,
      [realtimePolicy.leaseMs],
    );
    return renewed.length === 1;
  }, 'the first heartbeat, so that the handshake is what finds the row gone');
  await database.asOwner('delete from ws_node');
  assert.deepEqual(await counts(), { nodes: 0, records: 0 });
  const late = await connect(node, grant);
  assert.deepEqual(await counts(), { nodes: 1, records: 6 });
  for (const { ws } of [early, late]) ws.terminate();
  await untilCounts(1, 0);
  await node.stop();

  const beating = await startNode(database, truth, { policy: { heartbeatEveryMs: 20 } });
  const client = await connect(beating, grant);
  await database.asOwner('truncate ws_node cascade');
  await untilCounts(1, 3);
  await database.asOwner('revoke insert on ws_connection from forgewatch_api');
  await database.asOwner('truncate ws_node cascade');
  await until(
    () => beating.logged().includes('permission denied for table ws_connection'),
    'it cannot write',
  );
  await database.asOwner('grant insert on ws_connection to forgewatch_api');
  await untilCounts(1, 3);
  client.ws.terminate();
  await beating.stop();
});

test('a node that is alive keeps its row, and others keep theirs', async () => {
  const policy = { heartbeatEveryMs: 20, leaseMs: 1_000, reapEveryMs: 20 };
  const [a, b] = [await startNode(database, truth, { policy }), await startNode(database, truth, { policy })];
  const started = await database.asOwner<{ at: Date }>('select min(lease_until) as at from ws_node');
  await until(async () => {
    const [row] = await database.asOwner<{ at: Date }>('select min(lease_until) as at from ws_node');
    return Number(row?.at) > Number(started[0]?.at) + 1_500;
  }, 'leases renewed beyond their first end');
  assert.equal((await counts()).nodes, 2);
  await a.stop();
  await b.stop();
});

test('many handshakes share statements, and each gets its own answer', async () => {
  const node = await startNode(database, truth, {
    policy: { maxConnectionsPerUser: 1_000, recordsPerStatement: 10 },
  });
  const stranger = await makeMember(database, []);
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
