import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { makeListener } from '#platform/database/listener.ts';
import { removeMember } from '#test/support/realtime/membership-changes.ts';
import type { TestNode } from '#test/support/realtime/realtime-node.ts';
import { createRealtimeWorld, runOf, upTo } from '#test/support/realtime/realtime-world.ts';
import { connect, seqsOf } from '#test/support/realtime/test-client.ts';
import { makePush } from '../outbox/push.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const { database, insertIntegration, newGrant, store, startNode } = await createRealtimeWorld();
const log = pino({ level: 'silent' });
// What only time would bring must not happen: what is seen comes of announcements, or of the updates themselves.
const announcedOnly = { pollEveryMs: 1_000_000, reconcileEveryMs: 1_000_000 };
const deaf = () => makeListener({ connectionString: database.url }, log);

/** How the node hears of updates: in this process, from another one, or both in a race. */
const ways: Record<string, (node: TestNode) => ReturnType<typeof makePush>> = {
  'in the process of the worker': (node) =>
    makePush({
      db: database.worker,
      log,
      node: { deliver: node.realtime.deliver, isOnlyNode: () => true },
    }),
  'in another process than the worker': () => makePush({ db: database.worker, log }),
  'both ways at once': (node) =>
    makePush({
      db: database.worker,
      log,
      node: { deliver: node.realtime.deliver, isOnlyNode: () => false },
    }),
};

for (const [way, pushTo] of Object.entries(ways)) {
  for (const isDeaf of [false, true]) {
    if (isDeaf && way.startsWith('in another')) continue;
    const how = isDeaf ? `${way}, though the removal is not announced` : way;
    test(`a member who is removed during a burst gets nothing committed after it: ${how}`, async () => {
      const node = await startNode({
        policy: announcedOnly,
        ...(isDeaf ? { listener: deaf() } : {}),
      });
      const push = pushTo(node);
      const [a, b] = [await insertIntegration(), await insertIntegration()];
      const leaver = await newGrant(a, b);
      const [gone, stays] = [await connect(node, leaver), await connect(node, await newGrant(a, b))];
      let last = 0;
      await Promise.all(
        upTo(8).map(async (writer) => {
          for (const round of upTo(125)) {
            push.publish(await store([runOf(a, writer * 1_000 + round)]));
            if (writer === 8 && round === 60) last = await removeMember(database, leaver.userId, a);
          }
        }),
      );
      await waitUntil('all updates at who stays', () => seqsOf(stays).at(-1) === 1_000);
      push.publish(await store([runOf(b, 1)]));
      await waitUntil('one of the other', () =>
        gone.updates().some(({ integrationId }) => integrationId === b),
      );
      assert.deepEqual(seqsOf(stays).slice(0, 1_000), upTo(1_000));
      const got = gone.updates().filter(({ integrationId }) => integrationId === a);
      assert.ok(last > 100 && last < 1_000, `removed after ${last}`);
      assert.ok(
        got.every(({ seq }) => seq <= last),
        `got ${got.at(-1)?.seq} after ${last}`,
      );
      await push.stop();
      await node.stop();
    });
  }
}
