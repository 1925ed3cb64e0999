import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  connect,
  makeIntegration,
  makeMember,
  makeTruth,
  runOf,
  startNode,
  store,
  until,
} from '#test/support/realtime-node.ts';
import { createTestDatabase } from '#test/support/test-database.ts';

const database = await createTestDatabase();
const truth = makeTruth();

test('a plain client gets the update as its first message', async () => {
  const node = await startNode(database, truth);
  const integrationId = await makeIntegration(database);
  const userId = await makeMember(database, [integrationId]);
  const client = await connect(node, { userId, integrationIds: [integrationId] });
  const run = runOf(integrationId, 1);
  node.realtime.deliver(await store(database, truth, [run]));
  await until(() => client.messages.length > 0, 'the update arrives');
  const [first] = client.updates();
  assert.deepEqual(first?.data, run);
  assert.equal(first?.seq, 1);
  assert.equal(client.messages.length, 1);
  await node.stop();
  assert.equal(await client.closed, 1012);
});
