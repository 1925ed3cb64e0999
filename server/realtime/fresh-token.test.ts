import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countRecords, signOut } from '#test/support/realtime/membership-changes.ts';
import { addToTeam, removeFromTeam } from '#test/support/team/people.ts';
import { createRealtimeWorld, runOf, upTo } from '#test/support/realtime/realtime-world.ts';
import { connect, typesOf } from '#test/support/realtime/test-client.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const { database, insertIntegration, newGrant, newIntegration, store, startNode } =
  await createRealtimeWorld();
// What only time would bring must not happen: what is seen comes of announcements and of what clients send.
const announcedOnly = { pollEveryMs: 1_000_000, reconcileEveryMs: 1_000_000 };

test('a new member is notified, and a fresh token on the open socket brings the integration without a gap', async () => {
  const node = await startNode({ policy: announcedOnly });
  const [a, b, c] = [await insertIntegration(), await insertIntegration(), await insertIntegration()];
  const grant = await newGrant(a, c);
  const { userId } = grant;
  const client = await connect(node, grant, { isControl: true });
  await addToTeam(database, b, userId, 'viewer');
  await waitUntil('the notice to the client', () => typesOf(client).includes('integrations.changed'));
  const { token } = node.realtime.mintToken({ userId, sessionId: 'next', integrationIds: [a, b] });
  node.realtime.deliver(await store([runOf(a, 1)]));
  client.ws.send(JSON.stringify({ type: 'auth', token }));
  for (const round of upTo(50)) node.realtime.deliver(await store([runOf(a, round)]));
  await waitUntil('the answer', () => typesOf(client).filter((type) => type === 'hello').length === 2);
  node.realtime.deliver(await store([runOf(a, 51), runOf(b, 1), runOf(c, 1)]));
  await waitUntil('an update of the new one', () =>
    client.updates().some(({ integrationId }) => integrationId === b),
  );
  const ofA = client.updates().filter(({ integrationId }) => integrationId === a);
  assert.deepEqual(
    ofA.map(({ seq }) => seq),
    upTo(52),
  );
  assert.ok(
    !client.updates().some(({ integrationId }) => integrationId === c),
    'what the token leaves out ends',
  );
  await waitUntil('one record for each of the two', async () => (await countRecords(database, userId)) === 2);
  await signOut(database, { sessionId: 'next' });
  assert.equal(await client.closed, 4401, 'the socket now belongs to the session of the new token');
  await node.stop();
});

test('a fresh token extends the age of a socket; one that is bad, or of somebody else, ends it', async () => {
  const node = await startNode({
    policy: {
      ...announcedOnly,
      maxAgeMs: 1_000,
      maxAgeJitter: 0,
      sweepEveryMs: 20,
      maxClientMessagesPerSecond: 1_000,
    },
  });
  const { integrationId, grant } = await newIntegration();
  const [renewed, left] = [await connect(node, grant, { isControl: true }), await connect(node, grant)];
  const answers = () => typesOf(renewed).filter((type) => type === 'hello').length;
  const renew = async () => {
    const before = answers();
    const { token } = node.realtime.mintToken({ ...grant, sessionId: 'test' });
    renewed.ws.send(JSON.stringify({ type: 'auth', token }));
    await waitUntil('the answer to a fresh token', () => answers() > before);
  };
  while (left.ws.readyState === left.ws.OPEN) await renew();
  assert.equal(await left.closed, 4205);
  await renew();
  assert.equal(await renewed.closed, 4205, 'without another token it ends too');

  const sendAuth = async (bad: string) => {
    const client = await connect(node, grant);
    client.ws.send(JSON.stringify({ type: 'auth', token: bad }));
    return client.closed;
  };
  const foreign = node.realtime.mintToken({ ...(await newGrant(integrationId)), sessionId: 'test' });
  assert.equal(await sendAuth('nonsense'), 4401);
  assert.equal(await sendAuth(foreign.token), 4403);
  await removeFromTeam(database, integrationId, grant.userId);
  await waitUntil('no record is left', async () => (await countRecords(database, grant.userId)) === 0);
  await node.stop();
});
