import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { pino } from 'pino';
import { makeFollowingClient, type Snapshot } from '#test/support/realtime/following-client.ts';
import { makeGate } from '#test/support/waiting/gate.ts';
import { createRealtimeWorld, runOf, runsOf, upTo } from '#test/support/realtime/realtime-world.ts';
import { connect, seqsAndTypesOf } from '#test/support/realtime/test-client.ts';
import type { CommittedUpdate } from './append-updates.ts';
import { makePush } from './push.ts';
import { deleteRows } from '#test/support/database/rows.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const { database, truth, insertIntegration, newGrant, newIntegration, store, startNode } =
  await createRealtimeWorld();
const policy = {
  pollEveryMs: 50,
  maxReplay: 20,
  maxClientMessagesPerSecond: 1_000,
  maxConnectionsPerUser: 1_000,
};

/** As a REST list: rows and position in one snapshot, here made so by holding up writers. */
async function readSnapshot(integrationId: string): Promise<Snapshot> {
  return database.worker.withScope({ integrationId }, async (tx) => {
    const { rows } = await tx.query<{ epoch: string; seq: string }>(
      'select epoch, seq from realtime_stream where integration_id = $1 for update',
      [integrationId],
    );
    const runs = [...truth.runs].filter(([key]) => key.startsWith(integrationId));
    return {
      epoch: rows[0]?.epoch ?? '',
      seq: Number(rows[0]?.seq),
      runs: new Map(runs.map(([key, run]) => [key.slice(37), run])),
    };
  });
}

test('a resume replays exactly what was missed, in order, and what is stored meanwhile comes after it', async () => {
  const gate = makeGate();
  const node = await startNode({
    policy,
    loadUpdates: async (tx, pointers) => {
      await gate.passed();
      return truth.loadUpdates(tx, pointers);
    },
  });
  const { integrationId, grant } = await newIntegration();
  const runs = runsOf(integrationId, 10);
  const [first] = await store(runs);
  const client = await connect(node, grant, { isControl: true });
  gate.close();
  const cursor = { epoch: first?.epoch, seq: 4 };
  client.ws.send(JSON.stringify({ type: 'resume', cursors: { [integrationId]: cursor } }));
  await waitUntil('the replay is being read', () => gate.waiting() === 1);
  for (const runId of upTo(5)) {
    node.realtime.deliver(await store([runOf(integrationId, 10 + runId)]));
  }
  gate.open();
  await waitUntil('all updates', () => client.updates().at(-1)?.seq === 15);
  node.realtime.deliver(await store([runOf(integrationId, 16)]));
  await waitUntil('the next update', () => client.updates().at(-1)?.seq === 16);
  assert.deepEqual(seqsAndTypesOf(client), ['hello', ...upTo(16).slice(4)]);
  await node.stop();
});

test('cursors may be sent in several messages, answered one after the other', async () => {
  const node = await startNode({ policy });
  const integrationIds = await Promise.all(upTo(9).map(() => insertIntegration()));
  const grant = await newGrant(...integrationIds);
  const stored = await store(integrationIds.map((id) => runOf(id, 1)));
  const client = await connect(node, grant, { isControl: true });
  for (const { integrationId, epoch } of stored) {
    client.ws.send(JSON.stringify({ type: 'resume', cursors: { [integrationId]: { epoch, seq: 0 } } }));
  }
  await waitUntil('all replays', () => client.updates().length === 9);
  assert.deepEqual(
    client.updates().map(({ integrationId }) => integrationId),
    stored.map(({ integrationId }) => integrationId),
  );
  await node.stop();
});

test('a client that asks for more replays than can be read is closed with 4429', async () => {
  const gate = makeGate();
  const node = await startNode({
    policy: { maxClientMessagesPerSecond: 5, sweepEveryMs: 1 },
    loadUpdates: async (tx, pointers) => {
      await gate.passed();
      return truth.loadUpdates(tx, pointers);
    },
  });
  const { integrationId, grant } = await newIntegration();
  const [first] = await store(runsOf(integrationId, 3));
  const client = await connect(node, grant);
  gate.close();
  const cursors = { [integrationId]: { epoch: first?.epoch, seq: 1 } };
  await waitUntil('the end of the socket', () => {
    if (client.ws.readyState === client.ws.OPEN) client.ws.send(JSON.stringify({ type: 'resume', cursors }));
    return client.ws.readyState === client.ws.CLOSED;
  });
  assert.equal(await client.closed, 4429);
  gate.open();
  await node.stop();
});

test('a cursor of another epoch, beyond the counter, or too far behind is answered with resync and nothing else', async () => {
  const node = await startNode({ policy });
  const { integrationId, grant } = await newIntegration();
  const [first] = await store(runsOf(integrationId, 30));
  const epoch = first?.epoch ?? '';
  for (const cursor of [
    { epoch: 'other', seq: 30 },
    { epoch, seq: 31 },
    { epoch, seq: 9 },
  ]) {
    const client = await connect(node, grant, { isControl: true });
    client.ws.send(JSON.stringify({ type: 'resume', cursors: { [integrationId]: cursor } }));
    await waitUntil('an answer', () => client.messages.length >= 2);
    assert.deepEqual(client.messages.slice(1), [{ v: 1, type: 'resync', integrationId }]);
    client.ws.terminate();
  }
  const current = await connect(node, grant, { isControl: true });
  current.ws.send(JSON.stringify({ type: 'resume', cursors: { [integrationId]: { epoch, seq: 10 } } }));
  await waitUntil('the replay', () => current.updates().length === 20);
  node.realtime.deliver(await store([runOf(integrationId, 31)]));
  await waitUntil('live updates go on', () => current.updates().length === 21);
  await node.stop();
});

test('a replay larger than a slow client could take, or one with a hole, is answered with resync', async () => {
  const node = await startNode({ policy: { ...policy, maxReplayBytes: 10_000 } });
  const { integrationId, grant } = await newIntegration();
  const [first] = await store(upTo(8).map((runId) => runOf(integrationId, runId, 'x'.repeat(2_000))));
  const client = await connect(node, grant, { isControl: true });
  const ask = (seq: number): void =>
    client.ws.send(
      JSON.stringify({ type: 'resume', cursors: { [integrationId]: { epoch: first?.epoch, seq } } }),
    );
  ask(1);
  await waitUntil('an answer', () => client.messages.length >= 2);
  ask(6);
  await waitUntil('a replay', () => client.updates().length >= 2);
  truth.runs.delete(`${integrationId}/8`);
  ask(6);
  await waitUntil('an answer', () => client.messages.length >= 5);
  assert.deepEqual(
    client.messages.map(({ type }) => type),
    ['hello', 'resync', 'workflow_run', 'workflow_run', 'resync'],
  );
  await node.stop();
});

type Step =
  | { do: 'store'; runs: number[]; how: 'in-process' | 'notified' | 'lost' | 'late' }
  | { do: 'lose'; messages: number }
  | { do: 'reconnect'; node: 0 | 1 }
  | { do: 'forget-outbox' };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('store' as const),
      runs: fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 8 }),
      how: fc.constantFrom('in-process' as const, 'notified' as const, 'lost' as const, 'late' as const),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('lose' as const), messages: fc.integer({ min: 1, max: 4 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('reconnect' as const),
      node: fc.constantFrom(0 as const, 1 as const),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ do: 'forget-outbox' as const }) },
);

test('after any loss, reorder and reconnect on either node a client ends with the truth', async () => {
  const nodes = [await startNode({ policy }), await startNode({ policy })] as const;
  const push = makePush({ db: database.worker, log: pino({ level: 'silent' }) });
  let version = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
      const { integrationId, grant } = await newIntegration();
      const client = makeFollowingClient(integrationId, () => readSnapshot(integrationId));
      const urlOf = (index: 0 | 1): string =>
        `${nodes[index].url}?token=${nodes[index].realtime.mintToken({ ...grant, sessionId: 'test' }).token}&channel=workflows`;
      const late: CommittedUpdate[][] = [];
      await client.open(urlOf(0));
      for (const each of steps) {
        if (each.do === 'lose') client.lose(each.messages);
        if (each.do === 'forget-outbox') {
          await deleteRows(database, 'realtime_outbox', { integration_id: integrationId });
        }
        if (each.do === 'reconnect') {
          client.close();
          await client.open(urlOf(each.node));
        }
        if (each.do !== 'store') continue;
        const runs = each.runs.map((runId) => runOf(integrationId, runId, `version ${(version += 1)}`));
        const messages = await store(runs);
        if (each.how === 'in-process') nodes[0].realtime.deliver(messages);
        if (each.how === 'notified') push.publish(messages);
        if (each.how === 'late') late.push(messages);
      }
      for (const messages of late.toReversed()) nodes[0].realtime.deliver(messages);
      client.lose(-Infinity);
      // One more update shows the client what it does not know that it missed.
      const last = await store([runOf(integrationId, 7, `version ${(version += 1)}`)]);
      const [end] = last;
      await waitUntil('the client has caught up', () => client.position?.seq === end?.seq);
      const expected = await readSnapshot(integrationId);
      assert.deepEqual(Object.fromEntries(client.state), Object.fromEntries(expected.runs));
      client.close();
    }),
    { numRuns: 25, endOnFailure: true },
  );
  await push.stop();
  await Promise.all(nodes.map((node) => node.stop()));
});
