import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { sqsBatchBytes, sqsBatchMessages, sqsConcurrentSends } from '../policy.ts';
import { makeSqsSender, sqsMessageBytes, type SqsMessage } from './send.ts';

const message = (groupId: string, deduplicationId: string, bytes = 1): SqsMessage => ({
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
      const sender = makeSqsSender(async (messages) => {
        assert.ok((flights += 1) <= sqsConcurrentSends);
        assert.ok(messages.length <= sqsBatchMessages);
        assert.ok(
          messages.length === 1 ||
            messages.reduce((sum, one) => sum + sqsMessageBytes(one), 0) <= sqsBatchBytes,
        );
        const groups = new Set(messages.map(({ groupId }) => groupId));
        for (const groupId of groups) {
          assert.ok(!underWay.has(groupId));
          underWay.add(groupId);
        }
        await scheduler.schedule(Promise.resolve());
        for (const { groupId, deduplicationId } of messages)
          arrived.set(groupId, [...(arrived.get(groupId) ?? []), deduplicationId]);
        for (const groupId of groups) underWay.delete(groupId);
        flights -= 1;
        return messages.map(() => 'queued');
      });
      const sent = new Map<string, string[]>();
      const all = each.map(({ group, bytes }, index) => {
        sent.set(String(group), [...(sent.get(String(group)) ?? []), String(index)]);
        return sender.add(message(String(group), String(index), bytes));
      });
      await scheduler.waitFor(Promise.all(all));
      assert.deepEqual(arrived, sent);
      await sender.idle();
    }),
    { numRuns: 50 },
  );
});

test('sends of one turn share calls', async () => {
  const calls: number[] = [];
  const sender = makeSqsSender(async (messages) => {
    calls.push(messages.length);
    return messages.map(() => 'queued');
  });
  await Promise.all(Array.from({ length: 25 }, (_, index) => sender.add(message(`group ${index}`, 'one'))));
  await sender.idle();
  assert.deepEqual(calls, [10, 10, 5]);
});

test('when a call fails, everybody in it hears of it, and the next one goes out', async () => {
  let isDown = true;
  const sender = makeSqsSender(async (messages) => {
    if (isDown) throw new Error('Amazon SQS is away');
    return messages.map(() => 'queued');
  });
  const results = await Promise.allSettled([sender.add(message('a', '1')), sender.add(message('b', '2'))]);
  assert.deepEqual(
    results.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  isDown = false;
  assert.equal(await sender.add(message('a', '1')), 'queued');
});
