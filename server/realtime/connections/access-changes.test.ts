import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import pg from 'pg';
import { pino } from 'pino';
import { makeListener } from '#platform/database/listener.ts';
import {
  changeRole,
  countRecords,
  deleteIntegration,
  removeMember,
  signOut,
} from '#test/support/realtime/membership-changes.ts';
import { makeGate } from '#test/support/waiting/gate.ts';
import {
  connect,
  makeMember,
  makeTruth,
  runOf,
  startNode,
  store,
  typesOf,
  until,
  type TestClient,
} from '#test/support/realtime/realtime-node.ts';
import { createTestDatabase } from '#test/support/database/test-database.ts';
import { untilSessionWaits } from '#test/support/database/waiting-sessions.ts';
import { insertIntegration } from '#test/support/database/insert-integration.ts';

const database = await createTestDatabase();
const truth = makeTruth();
// What only time would bring must not happen: what is seen comes of announcements, or of the updates themselves.
const announcedOnly = { pollEveryMs: 1_000_000, reconcileEveryMs: 1_000_000 };
const deaf = () => makeListener({ connectionString: database.url }, pino({ level: 'silent' }));
const seqsOf = (client: TestClient): number[] => client.updates().map(({ seq }) => seq);

test('a removal is sent when it is announced, and a user without integrations is disconnected', async () => {
  const node = await startNode(database, truth, { policy: announcedOnly });
  const [a, b] = [await insertIntegration(database), await insertIntegration(database)];
  const userId = await makeMember(database, [a, b]);
  const grant = { userId, integrationIds: [a, b] };
  const [control, plain] = [await connect(node, grant, { isControl: true }), await connect(node, grant)];
  assert.equal(await countRecords(database, userId), 4);
  await removeMember(database, userId, a);
  assert.equal(await countRecords(database, userId), 2, 'records go in the transaction of the removal');
  await until(() => typesOf(control).includes('access.revoked'), 'the notice to the client');
  assert.deepEqual(control.messages.at(-1), { v: 1, type: 'access.revoked', integrationId: a });
  assert.equal(plain.messages.length, 0);
  await removeMember(database, userId, b);
  assert.deepEqual(await Promise.all([control.closed, plain.closed]), [4403, 4403]);
  await until(async () => (await countRecords(database, userId)) === 0, 'no record is left');
  await node.stop();
});

test('a new role is sent to the pages of the member who was given it', async () => {
  const node = await startNode(database, truth, { policy: announcedOnly });
  const integrationId = await insertIntegration(database);
  const [one, two] = [
    await makeMember(database, [integrationId]),
    await makeMember(database, [integrationId]),
  ];
  const open = (userId: string) =>
    connect(node, { userId, integrationIds: [integrationId] }, { isControl: true });
  const [changed, other] = [await open(one), await open(two)];
  await changeRole(database, one, integrationId, 'member');
  await until(() => typesOf(changed).includes('integrations.changed'), 'the notice to the one client');
  await node.heardAll();
  assert.deepEqual(typesOf(changed), ['hello', 'integrations.changed']);
  assert.deepEqual(typesOf(other), ['hello']);
  await node.stop();
});

test('when an integration is deleted all its sockets lose it', async () => {
  const node = await startNode(database, truth, { policy: announcedOnly });
  const [a, b] = [await insertIntegration(database), await insertIntegration(database)];
  const people = [await makeMember(database, [a, b]), await makeMember(database, [a])];
  const clients = await Promise.all(
    people.map((userId) => connect(node, { userId, integrationIds: [a, b] }, { isControl: true })),
  );
  await deleteIntegration(database, a);
  await until(
    () => clients.every((client) => typesOf(client).includes('access.revoked')),
    'the notice to both clients',
  );
  assert.equal(await clients[1]?.closed, 4403);
  node.realtime.deliver(await store(database, truth, [runOf(b, 1)]));
  await until(() => seqsOf(clients[0]!).length === 1, 'an update of the other');
  await node.stop();
});

for (const others of [0, 1]) {
  test(`who is removed while the socket opens does not get in, whatever the handshake read, with ${others} others`, async () => {
    const node = await startNode(database, truth, { policy: announcedOnly });
    const integrationId = await insertIntegration(database);
    const userId = await makeMember(database, [integrationId]);
    const grant = { userId, integrationIds: [integrationId] };
    const other = await makeMember(database, [integrationId]);
    const here = others > 0 && (await connect(node, { userId: other, integrationIds: [integrationId] }));
    const client = await joinWhile(
      () => connect(node, grant, { isControl: true }),
      async () => {
        await removeMember(database, userId, integrationId);
        if (!here) return;
        // With this the node has compared everybody with the memberships, except the one who joins.
        node.realtime.deliver(await store(database, truth, [runOf(integrationId, 1)]));
        await until(() => seqsOf(here).length === 1, 'an update at the other');
      },
    );
    assert.equal(await client.closed, 4403);
    await until(async () => (await countRecords(database, userId)) === 0, 'no record is left');
    await node.stop();
  });
}

test('who is removed before the socket opens is found out, though the others were compared before that and told after', async () => {
  const gate = makeGate();
  const node = await startNode(database, truth, {
    policy: announcedOnly,
    listener: deaf(),
    loadUpdates: async (tx, pointers) => {
      await gate.passed();
      return truth.loadUpdates(tx, pointers);
    },
  });
  const integrationId = await insertIntegration(database);
  const [userId, other] = [
    await makeMember(database, [integrationId]),
    await makeMember(database, [integrationId]),
  ];
  const open = (person: string) => connect(node, { userId: person, integrationIds: [integrationId] });
  const here = await open(other);
  gate.close();
  const client = await joinWhile(
    () => open(userId),
    async () => {
      await removeMember(database, userId, integrationId);
      node.realtime.deliver(await store(database, truth, [runOf(integrationId, 1)]));
      await until(() => gate.waiting() === 1, 'the others are compared');
    },
  );
  gate.open();
  assert.equal(await client.closed, 4403);
  await until(() => seqsOf(here).length === 1, 'the update at the other');
  await node.stop();
});

test('who signs out while the socket opens is sent away as soon as it is open', async () => {
  const node = await startNode(database, truth, { policy: announcedOnly });
  const integrationId = await insertIntegration(database);
  const userId = await makeMember(database, [integrationId]);
  const client = await joinWhile(
    () => connect(node, { userId, integrationIds: [integrationId] }, { sessionId: 'brief' }),
    async () => {
      await signOut(database, 'session:brief', { sessionId: 'brief' });
      await node.heardAll();
    },
  );
  assert.equal(await client.closed, 4401);
  await node.stop();
});

/** Opens a socket; `meanwhile` runs after its handshake has read what it may see, and before it is let in. */
async function joinWhile(
  join: () => Promise<TestClient>,
  meanwhile: () => Promise<void>,
): Promise<TestClient> {
  const owner = new pg.Client({ connectionString: database.url });
  await owner.connect();
  // The row of the node, which its records refer to.
  await owner.query('begin; select from ws_node for update');
  const joining = join();
  await untilSessionWaits(database, 'the handshake');
  await meanwhile();
  await owner.query('commit');
  await owner.end();
  return joining;
}

test('a replay that runs while its client is removed sends nothing that came after', async () => {
  const node = await startNode(database, truth, { policy: announcedOnly, listener: deaf() });
  const integrationId = await insertIntegration(database);
  const userId = await makeMember(database, [integrationId]);
  const [{ epoch } = { epoch: '' }] = await store(database, truth, [runOf(integrationId, 1)]);
  const client = await connect(node, { userId, integrationIds: [integrationId] }, { isControl: true });
  await removeMember(database, userId, integrationId);
  await store(database, truth, [runOf(integrationId, 2)]);
  client.ws.send(JSON.stringify({ type: 'resume', cursors: { [integrationId]: { epoch, seq: 0 } } }));
  // Where the node looks at the counters in between, the client learns about its removal instead.
  const answers = ['resync', 'access.revoked'];
  await until(
    () => typesOf(client).some((type) => answers.includes(type)),
    'the client is asked to read, which will be refused',
  );
  assert.deepEqual(seqsOf(client), []);
  await node.stop();
});

test('lost announcements are made up for: removals, deletions and ended sessions', async () => {
  const policy = { ...announcedOnly, reconcileEveryMs: 50 };
  const node = await startNode(database, truth, { policy, listener: deaf() });
  const [a, b] = [await insertIntegration(database), await insertIntegration(database)];
  const userId = await makeMember(database, [a, b]);
  const grant = { userId, integrationIds: [a, b] };
  const sessionId = randomUUID();
  const client = await connect(node, grant, { isControl: true, sessionId });
  const other = await connect(node, grant);
  await removeMember(database, userId, a);
  await until(() => typesOf(client).includes('access.revoked'), 'the removal');
  await signOut(database, `session:${sessionId}`, { sessionId });
  assert.equal(await client.closed, 4401);
  assert.equal(other.ws.readyState, other.ws.OPEN);
  await assert.rejects(connect(node, grant, { sessionId }), /401/, 'nor does its token open another');
  await signOut(database, `user:${userId}`, { userId });
  assert.equal(await other.closed, 4401);
  await database.asOwner(
    `update signed_out set signed_out_at = now() - interval '2 seconds' where user_id = $1`,
    [userId],
  );
  const back = await connect(node, grant);
  await deleteIntegration(database, b);
  assert.equal(await back.closed, 4403, 'who signed in again stays until there is nothing left to see');
  await node.stop();
});

test('sockets end as the end of their session is announced, others stay', async () => {
  const node = await startNode(database, truth, { policy: announcedOnly });
  const integrationId = await insertIntegration(database);
  const [one, two] = [
    await makeMember(database, [integrationId]),
    await makeMember(database, [integrationId]),
  ];
  const open = (userId: string, sessionId: string) =>
    connect(node, { userId, integrationIds: [integrationId] }, { sessionId });
  const [a, b, c, d] = [
    await open(one, 'one-a'),
    await open(one, 'one-a'),
    await open(one, 'one-b'),
    await open(two, 'two'),
  ];
  await signOut(database, 'session:one-a', { sessionId: 'one-a' });
  assert.deepEqual(await Promise.all([a.closed, b.closed]), [4401, 4401]);
  assert.equal(c.ws.readyState, c.ws.OPEN);
  await signOut(database, `user:${one}`, { userId: one });
  assert.equal(await c.closed, 4401);
  assert.equal(d.ws.readyState, d.ws.OPEN);
  await node.stop();
});
