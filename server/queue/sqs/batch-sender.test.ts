import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { sqsBatchBytes, sqsBatchMessages, sqsFlights } from '../policy.ts';
import { makeOutbox } from './batch-sender.ts';
import { parcelBytes, type Parcel } from './send.ts';

const parcel = (groupId: string, deduplicationId: string, bytes = 1): Parcel => ({
  groupId,
  deduplicationId,
  content: { body: Buffer.alloc(bytes) },
});

test('calls hold what Amazon SQS takes, never share a group, and keep the order of each group', async () => {
  const sends = fc.array(
    fc.record({ group: fc.nat({ max: 5 }), bytes: fc.constantFrom(10, 300_000, 700_000, 900_000) }),
    { minLength: 1, maxLength: 40 },
  );
  await fc.assert(
    fc.asyncProperty(sends, fc.scheduler(), async (each, scheduler) => {
      const underWay = new Set<string>();
      const arrived = new Map<string, string[]>();
      let flights = 0;
      const outbox = makeOutbox(
        async (parcels) => {
          assert.ok((flights += 1) <= sqsFlights);
          assert.ok(parcels.length <= sqsBatchMessages);
          assert.ok(
            parcels.length === 1 || parcels.reduce((sum, one) => sum + parcelBytes(one), 0) <= sqsBatchBytes,
          );
          const groups = new Set(parcels.map(({ groupId }) => groupId));
          for (const groupId of groups) {
            assert.ok(!underWay.has(groupId));
            underWay.add(groupId);
          }
          await scheduler.schedule(Promise.resolve());
          for (const { groupId, deduplicationId } of parcels)
            arrived.set(groupId, [...(arrived.get(groupId) ?? []), deduplicationId]);
          for (const groupId of groups) underWay.delete(groupId);
          flights -= 1;
          return parcels.map(() => 'queued');
        },
        () => {},
      );
      const sent = new Map<string, string[]>();
      const all = each.map(({ group, bytes }, index) => {
        sent.set(String(group), [...(sent.get(String(group)) ?? []), String(index)]);
        return outbox.send(parcel(String(group), String(index), bytes));
      });
      await scheduler.waitFor(Promise.all(all));
      assert.deepEqual(arrived, sent);
      await outbox.idle();
    }),
    { numRuns: 50 },
  );
});

test('sends of one turn share calls, and whoever listens hears when nothing is under way any more', async () => {
  const calls: number[] = [];
  const heard: boolean[] = [];
  const outbox = makeOutbox(
    async (parcels) => {
      calls.push(parcels.length);
      return parcels.map(() => 'queued');
    },
    (isSending) => heard.push(isSending),
  );
  await Promise.all(Array.from({ length: 25 }, (_, index) => outbox.send(parcel(`group ${index}`, 'one'))));
  await outbox.idle();
  assert.deepEqual(calls, [10, 10, 5]);
  assert.equal(heard.at(-1), false);
});

test('when a call fails, everybody in it hears of it, and the next one goes out', async () => {
  let isDown = true;
  const outbox = makeOutbox(
    async (parcels) => {
      if (isDown) throw new Error('Amazon SQS is away');
      return parcels.map(() => 'queued');
    },
    () => {},
  );
  const results = await Promise.allSettled([outbox.send(parcel('a', '1')), outbox.send(parcel('b', '2'))]);
  assert.deepEqual(
    results.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  isDown = false;
  assert.equal(await outbox.send(parcel('a', '1')), 'queued');
});
