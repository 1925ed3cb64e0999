import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { describeDeadLetters } from './dead-letters.ts';
import { driveQueue, groupOf, textOf } from './driver.ts';
import { batchSize, maxMessageBytes } from '../policy.ts';
import { MessageTooLargeError, type Queue } from '../queue.ts';

/**
 * The guarantees of every engine, tested through the `Queue` interface. `queue` is started, is empty and gives leases of less
 * than a second. Groups have random names to keep the tests independent.
 */
export function describeQueueConformance(engine: string, queue: Queue): void {
  const guarantee = (text: string, run: () => Promise<void>): void => void test(`${engine}: ${text}`, run);
  const { send, receive, receiveSome, drain } = driveQueue(queue);

  guarantee('a sent message is received with its body and attributes', async () => {
    const groupId = randomUUID();
    assert.equal(await send(groupId, 'héllo', 'delivery-1'), 'queued');
    const batch = await receiveSome();
    const [record] = batch.records;
    assert.ok(record);
    assert.equal(textOf(record), 'héllo');
    assert.equal(groupOf(record), groupId);
    assert.equal(record.attributes.MessageDeduplicationId, 'delivery-1');
    assert.equal(record.attributes.ApproximateReceiveCount, '1');
    assert.ok(Math.abs(Number(record.attributes.SentTimestamp) - Date.now()) < 60_000);
    await batch.settle([]);
    assert.equal(await receive(0), undefined);
  });

  guarantee(
    'each group is received in the order of its sends under any interleaving of senders and receivers',
    async () => {
      const steps = fc.array(fc.oneof({ weight: 4, arbitrary: fc.nat({ max: 2 }) }, fc.constant('receive')), {
        minLength: 1,
        maxLength: 60,
      });
      await fc.assert(
        fc.asyncProperty(steps, async (choices) => {
          const groups = Array.from({ length: 3 }, () => randomUUID());
          const sent = new Map<string, string[]>();
          const received = new Map<string, string[]>();
          const take = async (): Promise<void> => {
            const batch = await receive(0);
            for (const record of batch?.records ?? [])
              received.set(groupOf(record), [...(received.get(groupOf(record)) ?? []), textOf(record)]);
            await batch?.settle([]);
          };
          await Promise.all(
            choices.map((choice, index) => {
              if (typeof choice === 'string') return take();
              const groupId = groups[choice] as string;
              sent.set(groupId, [...(sent.get(groupId) ?? []), String(index)]);
              return send(groupId, String(index));
            }),
          );
          for (const [groupId, texts] of await drain())
            received.set(groupId, [...(received.get(groupId) ?? []), ...texts]);
          assert.deepEqual(received, sent);
        }),
        { numRuns: 25 },
      );
    },
  );

  guarantee('a batch holds up to ten messages, several of one group in order', async () => {
    const groupId = randomUUID();
    for (let index = 0; index < 12; index += 1) await send(groupId, String(index));
    const batch = await receiveSome();
    assert.deepEqual(
      batch.records.map(textOf),
      Array.from({ length: batchSize }, (_, index) => String(index)),
    );
    await batch.settle([]);
    const rest = await receiveSome();
    assert.deepEqual(rest.records.map(textOf), ['10', '11']);
    await rest.settle([]);
  });

  guarantee('a leased group is not given to another receiver while other groups continue', async () => {
    const [slow, quick] = [randomUUID(), randomUUID()];
    await send(slow, 'slow 1');
    const held = await receiveSome();
    await send(slow, 'slow 2');
    await send(quick, 'quick');
    const other = await receiveSome();
    assert.deepEqual(other.records.map(textOf), ['quick']);
    await other.settle([]);
    assert.equal(await receive(0), undefined);
    await held.settle([]);
    const next = await receiveSome();
    assert.deepEqual(next.records.map(textOf), ['slow 2']);
    await next.settle([]);
  });

  guarantee(
    'parallel receivers never hold one group at the same time, and get every message once, in order',
    async () => {
      const groups = Array.from({ length: 5 }, () => randomUUID());
      const total = 200;
      const held = new Set<string>();
      const received = new Map<string, number[]>();
      let count = 0;
      const receiver = async (): Promise<void> => {
        while (count < total) {
          const batch = await receive(50);
          if (batch === undefined) continue;
          const own = new Set(batch.records.map(groupOf));
          for (const groupId of own) {
            assert.ok(!held.has(groupId), 'a group was handed out twice');
            held.add(groupId);
          }
          await new Promise((resolve) => setImmediate(resolve));
          for (const record of batch.records)
            received.set(groupOf(record), [...(received.get(groupOf(record)) ?? []), Number(textOf(record))]);
          count += batch.records.length;
          for (const groupId of own) held.delete(groupId);
          await batch.settle([]);
        }
      };
      const sender = async (): Promise<void> => {
        for (let index = 0; index < total; index += 5)
          await Promise.all(groups.map((groupId, offset) => send(groupId, String(index + offset))));
      };
      await Promise.all([sender(), receiver(), receiver(), receiver(), receiver()]);
      assert.equal(count, total);
      for (const numbers of received.values())
        assert.deepEqual(
          numbers,
          numbers.toSorted((a, b) => a - b),
        );
    },
  );

  guarantee('a repeated id is a duplicate within its group only', async () => {
    const [one, two] = [randomUUID(), randomUUID()];
    assert.equal(await send(one, 'first', 'same'), 'queued');
    assert.equal(await send(one, 'again', 'same'), 'duplicate');
    assert.equal(await send(two, 'other group', 'same'), 'queued');
    assert.deepEqual(
      await drain(),
      new Map([
        [one, ['first']],
        [two, ['other group']],
      ]),
    );
    assert.equal(await send(one, 'after it was processed', 'same'), 'duplicate');
    assert.equal(await receive(0), undefined);
  });

  guarantee('a delivery that goes to two groups at the same time is queued in both', async () => {
    const groups = [randomUUID(), randomUUID()].toSorted();
    const outcomes = await Promise.all(groups.map((groupId) => send(groupId, 'for both', 'same')));
    assert.deepEqual(outcomes, ['queued', 'queued']);
    assert.deepEqual([...(await drain()).keys()].toSorted(), groups);
  });

  guarantee('of many sends of one delivery at the same time exactly one is queued', async () => {
    const groupId = randomUUID();
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => send(groupId, 'once', 'same')));
    assert.deepEqual(outcomes.toSorted(), [...Array.from({ length: 19 }, () => 'duplicate'), 'queued']);
    assert.deepEqual(await drain(), new Map([[groupId, ['once']]]));
  });

  guarantee('a message above 1 MiB is refused, one of exactly that size passes', async () => {
    const groupId = randomUUID();
    const body = Buffer.from(JSON.stringify('x'.repeat(maxMessageBytes - 2)));
    assert.equal(body.length, maxMessageBytes);
    await assert.rejects(
      queue.send({ groupId, deduplicationId: 'a', body: Buffer.concat([body, Buffer.from(' ')]) }),
      MessageTooLargeError,
    );
    await queue.send({ groupId, deduplicationId: 'b', body });
    const batch = await receiveSome();
    assert.equal(batch.records[0]?.body.length, maxMessageBytes);
    await batch.settle([]);
  });

  guarantee('a waiting receiver is woken by a message, and an empty wait ends on time', async () => {
    const started = Date.now();
    assert.equal(await receive(100), undefined);
    assert.ok(Date.now() - started >= 95);
    const waiting = receive(30_000);
    await send(randomUUID(), 'wake up');
    const batch = await waiting;
    assert.deepEqual(batch?.records.map(textOf), ['wake up']);
    assert.ok(Date.now() - started < 20_000);
    await batch?.settle([]);
  });

  guarantee('a message that is given back is received again with the same receive count', async () => {
    const groupId = randomUUID();
    for (const text of ['1', '2']) await send(groupId, text);
    for (let turns = 0; turns < 4; turns += 1) {
      const claim = await receiveSome();
      assert.deepEqual(claim.records.map(textOf), ['1', '2']);
      assert.equal(claim.records[0]?.attributes.ApproximateReceiveCount, '1');
      await claim.giveBack();
    }
    assert.deepEqual(await drain(), new Map([[groupId, ['1', '2']]]));
  });

  guarantee('an aborted wait ends at once', async () => {
    const abort = new AbortController();
    const waiting = queue.receive({ maxMessages: 1, waitMs: 60_000, signal: abort.signal });
    abort.abort();
    assert.equal(await waiting, undefined);
  });

  describeDeadLetters(guarantee, queue);
}
