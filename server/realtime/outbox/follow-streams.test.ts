import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRealtimeWorld, runOf, runsOf, upTo } from '#test/support/realtime/realtime-world.ts';
import { connect, seqsOf } from '#test/support/realtime/test-client.ts';
import { cutListeners } from '#test/support/database/faults.ts';
import { updateRows } from '#test/support/database/rows.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const { database, truth, newIntegration, store, startNode } = await createRealtimeWorld();

test('after its listening connection broke, a node catches up at once', async () => {
  const node = await startNode({ policy: { pollEveryMs: 1_000_000 } });
  const { integrationId, grant } = await newIntegration();
  const client = await connect(node, grant);
  // It comes back no earlier than the update was stored, as what is stored after that would have to be announced.
  const [{ name } = { name: '' }] = await database.asOwner<{ name: string }>(
    'select quote_ident(current_database()) as name',
  );
  await database.asOwner(`revoke connect on database ${name} from public, forgewatch_api`);
  await cutListeners(database);
  await waitUntil('the node notices', () => node.logged().includes('listener connection lost'));
  await store([runOf(integrationId, 1)]);
  await database.asOwner(`grant connect on database ${name} to forgewatch_api`);
  await waitUntil('the update', () => seqsOf(client).length === 1);
  await node.stop();
});

test('updates whose pointers or objects are gone become a resync, and the rest goes on', async () => {
  const node = await startNode({ policy: { pollEveryMs: 30 } });
  const { integrationId, grant } = await newIntegration();
  const [plain, control] = [await connect(node, grant), await connect(node, grant, { isControl: true })];
  const resyncs = (): number => control.messages.filter(({ type }) => type === 'resync').length;
  await store([runOf(integrationId, 1)]);
  truth.runs.delete(`${integrationId}/1`);
  await waitUntil('a resync', () => resyncs() === 1);
  node.realtime.deliver(await store([runOf(integrationId, 2)]));
  await waitUntil('the next update', () => seqsOf(plain).length === 1);
  assert.deepEqual([seqsOf(plain), seqsOf(control)], [[2], [2]]);
  assert.equal(plain.messages.length, 1);
  await node.stop();
});

test('a counter that restarted is announced to clients and followed', async () => {
  const node = await startNode({ policy: { pollEveryMs: 30 } });
  const { integrationId, grant } = await newIntegration();
  const client = await connect(node, grant, { isControl: true });
  node.realtime.deliver(await store(runsOf(integrationId, 5)));
  await waitUntil('five updates', () => seqsOf(client).length === 5);
  const stream = { integration_id: integrationId };
  await updateRows(database, 'realtime_stream', { epoch: 'restored', seq: 2 }, stream);
  await waitUntil('a resync', () => client.messages.some(({ type }) => type === 'resync'));
  const again = await store([runOf(integrationId, 9)]);
  node.realtime.deliver(again);
  await waitUntil('the next update', () => seqsOf(client).length === 6);
  assert.deepEqual(client.updates().at(-1), JSON.parse(JSON.stringify(again[0])));
  await node.stop();
});

test('a node far behind tells its clients to read again instead of passing on every step', async () => {
  const node = await startNode({
    policy: { pollEveryMs: 30, maxReplay: 5, maxCatchUp: 20 },
  });
  const { integrationId, grant } = await newIntegration();
  const client = await connect(node, grant, { isControl: true });
  await store(runsOf(integrationId, 10));
  await waitUntil('ten updates in steps of five', () => seqsOf(client).length === 10);
  await store(runsOf(integrationId, 30));
  await waitUntil('a resync', () => client.messages.some(({ type }) => type === 'resync'));
  node.realtime.deliver(await store([runOf(integrationId, 31)]));
  await waitUntil('the next update', () => seqsOf(client).at(-1) === 41);
  assert.deepEqual(seqsOf(client), [...upTo(10), 41]);
  await node.stop();
});
