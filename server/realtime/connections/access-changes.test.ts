import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { pino } from 'pino';
import { makeListener } from '#platform/database/listener.ts';
import { countRecords, deleteIntegration, signOut } from '#test/support/realtime/membership-changes.ts';
import { removeFromTeam, setRole } from '#test/support/team/people.ts';
import { makeGate } from '#test/support/waiting/gate.ts';
import { createRealtimeWorld, runOf, type Grant } from '#test/support/realtime/realtime-world.ts';
import { connect, typesOf, seqsOf } from '#test/support/realtime/test-client.ts';
import { joinWhile } from '#test/support/realtime/held-handshake.ts';
import { ageRows } from '#test/support/database/rows.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const { database, truth, insertIntegration, newGrant, newIntegration, store, startNode } =
  await createRealtimeWorld();
// What only time would bring must not happen: what is seen comes of announcements, or of the updates themselves.
const announcedOnly = { pollEveryMs: 1_000_000, reconcileEveryMs: 1_000_000 };
const deaf = () => makeListener({ connectionString: database.url }, pino({ level: 'silent' }));

test('a removal is sent when it is announced, and a user without integrations is disconnected', async () => {
  const node = await startNode({ policy: announcedOnly });
  const [a, b] = [await insertIntegration(), await insertIntegration()];
  const grant = await newGrant(a, b);
  const { userId } = grant;
  const [control, plain] = [await connect(node, grant, { isControl: true }), await connect(node, grant)];
  assert.equal(await countRecords(database, userId), 4);
  await removeFromTeam(database, a, userId);
  assert.equal(await countRecords(database, userId), 2, 'records go in the transaction of the removal');
  await waitUntil('the notice to the client', () => typesOf(control).includes('access.revoked'));
  assert.deepEqual(control.messages.at(-1), { v: 1, type: 'access.revoked', integrationId: a });
  assert.equal(plain.messages.length, 0);
  await removeFromTeam(database, b, userId);
  assert.deepEqual(await Promise.all([control.closed, plain.closed]), [4403, 4403]);
  await waitUntil('no record is left', async () => (await countRecords(database, userId)) === 0);
  await node.stop();
});

test('a new role is sent to the pages of the member who was given it', async () => {
  const node = await startNode({ policy: announcedOnly });
  const { integrationId, grant } = await newIntegration();
  const changed = await connect(node, grant, { isControl: true });
  const other = await connect(node, await newGrant(integrationId), { isControl: true });
  await setRole(database, integrationId, grant.userId, 'member');
  await waitUntil('the notice to the one client', () => typesOf(changed).includes('integrations.changed'));
  await node.heardAll();
  assert.deepEqual(typesOf(changed), ['hello', 'integrations.changed']);
  assert.deepEqual(typesOf(other), ['hello']);
  await node.stop();
});

test('when an integration is deleted all its sockets lose it', async () => {
  const node = await startNode({ policy: announcedOnly });
  const [a, b] = [await insertIntegration(), await insertIntegration()];
  const grants = [await newGrant(a, b), { ...(await newGrant(a)), integrationIds: [a, b] }];
  const clients = await Promise.all(grants.map((grant) => connect(node, grant, { isControl: true })));
  await deleteIntegration(database, a);
  await waitUntil('the notice to both clients', () =>
    clients.every((client) => typesOf(client).includes('access.revoked')),
  );
  assert.equal(await clients[1]?.closed, 4403);
  node.realtime.deliver(await store([runOf(b, 1)]));
  await waitUntil('an update of the other', () => seqsOf(clients[0]!).length === 1);
  await node.stop();
});

for (const others of [0, 1]) {
  test(`a member who is removed while the socket opens is refused, whatever the handshake read, with ${others} others`, async () => {
    const node = await startNode({ policy: announcedOnly });
    const { integrationId, grant } = await newIntegration();
    const { userId } = grant;
    const here = others > 0 && (await connect(node, await newGrant(integrationId)));
    const client = await joinWhile(
      database,
      () => connect(node, grant, { isControl: true }),
      async () => {
        await removeFromTeam(database, integrationId, userId);
        if (!here) return;
        // With this the node has compared everybody with the memberships, except the one who joins.
        node.realtime.deliver(await store([runOf(integrationId, 1)]));
        await waitUntil('an update at the other', () => seqsOf(here).length === 1);
      },
    );
    assert.equal(await client.closed, 4403);
    await waitUntil('no record is left', async () => (await countRecords(database, userId)) === 0);
    await node.stop();
  });
}

test('a member who is removed before the socket opens is refused, also when other members are compared earlier', async () => {
  const gate = makeGate();
  const node = await startNode({
    policy: announcedOnly,
    listener: deaf(),
    loadUpdates: async (tx, pointers) => {
      await gate.passed();
      return truth.loadUpdates(tx, pointers);
    },
  });
  const { integrationId, grant } = await newIntegration();
  const here = await connect(node, await newGrant(integrationId));
  gate.close();
  const client = await joinWhile(
    database,
    () => connect(node, grant),
    async () => {
      await removeFromTeam(database, integrationId, grant.userId);
      node.realtime.deliver(await store([runOf(integrationId, 1)]));
      await waitUntil('the others are compared', () => gate.waiting() === 1);
    },
  );
  gate.open();
  assert.equal(await client.closed, 4403);
  await waitUntil('the update at the other', () => seqsOf(here).length === 1);
  await node.stop();
});

test('a person who signs out while the socket opens is disconnected as soon as it is open', async () => {
  const node = await startNode({ policy: announcedOnly });
  const { grant } = await newIntegration();
  const client = await joinWhile(
    database,
    () => connect(node, grant, { sessionId: 'brief' }),
    async () => {
      await signOut(database, { sessionId: 'brief' });
      await node.heardAll();
    },
  );
  assert.equal(await client.closed, 4401);
  await node.stop();
});

test('a replay that runs while its client is removed sends nothing that came after', async () => {
  const node = await startNode({ policy: announcedOnly, listener: deaf() });
  const { integrationId, grant } = await newIntegration();
  const [{ epoch } = { epoch: '' }] = await store([runOf(integrationId, 1)]);
  const client = await connect(node, grant, { isControl: true });
  await removeFromTeam(database, integrationId, grant.userId);
  await store([runOf(integrationId, 2)]);
  client.ws.send(JSON.stringify({ type: 'resume', cursors: { [integrationId]: { epoch, seq: 0 } } }));
  // Where the node looks at the counters in between, the client learns about its removal instead.
  const answers = ['resync', 'access.revoked'];
  await waitUntil('the client is asked to read, which will be refused', () =>
    typesOf(client).some((type) => answers.includes(type)),
  );
  assert.deepEqual(seqsOf(client), []);
  await node.stop();
});

test('lost announcements are made up for: removals, deletions and ended sessions', async () => {
  const policy = { ...announcedOnly, reconcileEveryMs: 50 };
  const node = await startNode({ policy, listener: deaf() });
  const [a, b] = [await insertIntegration(), await insertIntegration()];
  const grant = await newGrant(a, b);
  const { userId } = grant;
  const sessionId = randomUUID();
  const client = await connect(node, grant, { isControl: true, sessionId });
  const other = await connect(node, grant);
  await removeFromTeam(database, a, userId);
  await waitUntil('the removal', () => typesOf(client).includes('access.revoked'));
  await signOut(database, { sessionId });
  assert.equal(await client.closed, 4401);
  assert.equal(other.ws.readyState, other.ws.OPEN);
  await assert.rejects(connect(node, grant, { sessionId }), /401/, 'nor does its token open another');
  await signOut(database, { userId });
  assert.equal(await other.closed, 4401);
  await ageRows(database, 'signed_out.signed_out_at', '2 seconds', { user_id: userId });
  const back = await connect(node, grant);
  await deleteIntegration(database, b);
  assert.equal(await back.closed, 4403, 'who signed in again stays until there is nothing left to see');
  await node.stop();
});

test('sockets end as the end of their session is announced, others stay', async () => {
  const node = await startNode({ policy: announcedOnly });
  const { integrationId, grant: one } = await newIntegration();
  const two = await newGrant(integrationId);
  const open = (grant: Grant, sessionId: string) => connect(node, grant, { sessionId });
  const [a, b, c, d] = [
    await open(one, 'one-a'),
    await open(one, 'one-a'),
    await open(one, 'one-b'),
    await open(two, 'two'),
  ];
  await signOut(database, { sessionId: 'one-a' });
  assert.deepEqual(await Promise.all([a.closed, b.closed]), [4401, 4401]);
  assert.equal(c.ws.readyState, c.ws.OPEN);
  await signOut(database, { userId: one.userId });
  assert.equal(await c.closed, 4401);
  assert.equal(d.ws.readyState, d.ws.OPEN);
  await node.stop();
});
