import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { batchSize, maxMessageBytes } from './policy.ts';
import { MessageTooLargeError, type Queue, type QueueRecord, type ReceivedBatch } from './queue.ts';

/**
 * What every engine promises (specification 6.3), written against the port alone. `queue` is started, empty, and gives
 * a lease of `visibilityTimeoutMs`; groups have random names, so that the tests do not meet.
 */
export function describeQueueConformance(engine: string, queue: Queue, visibilityTimeoutMs: number): void {
  const guarantee = (text: string, run: () => Promise<void>): void => void test(`${engine}: ${text}`, run);
  const group = (): string => randomUUID();
  const never = new AbortController().signal;

  const send = (groupId: string, text: string, deduplicationId: string = randomUUID()) =>
    queue.send({ groupId, deduplicationId, body: Buffer.from(JSON.stringify(text)) });
  const receive = (waitMs = 5000, maxMessages = batchSize): Promise<ReceivedBatch | undefined> =>
    queue.receive({ maxMessages, waitMs, signal: never });
  const receiveSome = async (): Promise<ReceivedBatch> => {
    const batch = await receive();
    assert.ok(batch, 'nothing was received');
    return batch;
  };
  const textOf = (record: QueueRecord): string => JSON.parse(record.body) as string;
  const groupOf = (record: QueueRecord): string => record.attributes.MessageGroupId;
  const deadOf = (groupId: string) => queue.deadLetters.list({ groupId });

  /** Takes everything there is, one batch after the other, and answers the texts of each group in the order received. */
  const drain = async (): Promise<Map<string, string[]>> => {
    const received = new Map<string, string[]>();
    for (let batch = await receive(0); batch !== undefined; batch = await receive(0)) {
      assert.ok(batch.records.length <= batchSize);
      for (const record of batch.records)
        received.set(groupOf(record), [...(received.get(groupOf(record)) ?? []), textOf(record)]);
      await batch.settle([]);
    }
    return received;
  };

  guarantee('a sent message is received with its body and attributes', async () => {
    const groupId = group();
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
    'whatever the interleaving of senders, each group is received in the order of its sends',
    async () => {
      const groups = Array.from({ length: 3 }, group);
      await fc.assert(
        fc.asyncProperty(fc.array(fc.nat({ max: 2 }), { minLength: 1, maxLength: 60 }), async (choices) => {
          const sent = new Map<string, string[]>();
          await Promise.all(
            choices.map((choice, index) => {
              const groupId = groups[choice] as string;
              sent.set(groupId, [...(sent.get(groupId) ?? []), String(index)]);
              return send(groupId, String(index));
            }),
          );
          assert.deepEqual(await drain(), sent);
        }),
        { numRuns: 15 },
      );
    },
  );

  guarantee('a batch holds up to ten messages, several of one group in order', async () => {
    const groupId = group();
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

  guarantee('a group that is out is not handed out again, other groups go on beside it', async () => {
    const [slow, quick] = [group(), group()];
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
      const groups = Array.from({ length: 5 }, group);
      const total = 200;
      await Promise.all(
        Array.from({ length: total }, (_, index) =>
          send(groups[index % groups.length] as string, String(index)),
        ),
      );
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
      await Promise.all([receiver(), receiver(), receiver(), receiver()]);
      assert.equal(count, total);
      for (const numbers of received.values())
        assert.deepEqual(
          numbers,
          numbers.toSorted((a, b) => a - b),
        );
    },
  );

  guarantee('a repeat within a group is a duplicate, the same id in another group is not', async () => {
    const [one, two] = [group(), group()];
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

  guarantee('a message above 1 MiB is refused, one of exactly that size passes', async () => {
    const groupId = group();
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
    await send(group(), 'wake up');
    const batch = await waiting;
    assert.deepEqual(batch?.records.map(textOf), ['wake up']);
    assert.ok(Date.now() - started < 20_000);
    await batch?.settle([]);
  });

  guarantee('an aborted wait ends at once', async () => {
    const abort = new AbortController();
    const waiting = queue.receive({ maxMessages: 1, waitMs: 60_000, signal: abort.signal });
    abort.abort();
    assert.equal(await waiting, undefined);
  });

  guarantee('a failed message goes to the dead letters with its reason and the group goes on', async () => {
    const groupId = group();
    await Promise.all([send(groupId, 'good 1'), send(groupId, 'bad', 'bad-id'), send(groupId, 'good 2')]);
    const batch = await receiveSome();
    const bad = batch.records.find((record) => textOf(record) === 'bad');
    assert.ok(bad);
    await batch.settle([
      { messageId: bad.messageId, reason: 'invalid_payload', detail: 'workflow_run.id must be an integer' },
    ]);
    const [letter, ...others] = await deadOf(groupId);
    assert.deepEqual(others, []);
    assert.deepEqual(
      [letter?.reason, letter?.detail, letter?.groupId],
      ['invalid_payload', 'workflow_run.id must be an integer', groupId],
    );
    const opened = await queue.deadLetters.read(letter?.messageId ?? '');
    assert.equal(opened && textOf(opened), 'bad');
    assert.equal(await receive(0), undefined);
    assert.equal(
      await send(groupId, 'bad again', 'bad-id'),
      'queued',
      'a redelivery of what failed is processed',
    );
    assert.deepEqual(await drain(), new Map([[groupId, ['bad again']]]));
    await queue.deadLetters.drop({ groupId });
  });

  guarantee('dead letters are redriven at the end of their group, or dropped', async () => {
    const groupId = group();
    await send(groupId, 'failing 1');
    await send(groupId, 'failing 2');
    const batch = await receiveSome();
    await batch.settle(batch.records.map(({ messageId }) => ({ messageId, reason: 'refused_by_store' })));
    const [first, second] = await deadOf(groupId);
    assert.ok(first && second);
    assert.equal(await queue.deadLetters.redrive({ groupId, messageIds: [first.messageId] }), 1);
    await send(groupId, 'later');
    assert.deepEqual([...((await drain()).get(groupId)?.values() ?? [])].toSorted(), ['failing 1', 'later']);
    assert.equal(
      await queue.deadLetters.drop({ groupId: group(), messageIds: [second.messageId] }),
      0,
      'not of that group',
    );
    assert.equal(await queue.deadLetters.drop({ groupId }), 1);
    assert.deepEqual(await deadOf(groupId), []);
  });

  guarantee('depth counts what waits, what is out and what is dead', async () => {
    const groupId = group();
    const before = await queue.depth();
    await Promise.all(Array.from({ length: 11 }, (_, index) => send(groupId, String(index))));
    const batch = await receiveSome();
    const during = await queue.depth();
    assert.deepEqual([during.ready - before.ready, during.inFlight - before.inFlight], [1, 10]);
    await batch.settle(
      batch.records.slice(0, 2).map(({ messageId }) => ({ messageId, reason: 'invalid_json' })),
    );
    await drain();
    const after = await queue.depth();
    assert.deepEqual([after.ready, after.inFlight, after.dead - before.dead], [0, 0, 2]);
    await queue.deadLetters.drop({ groupId });
  });

  guarantee('a message whose receiver died is given out once more by itself, then it is dead', async () => {
    const groupId = group();
    await send(groupId, 'kills its worker');
    await receiveSome();
    const again = await receive(visibilityTimeoutMs * 20);
    assert.deepEqual(again?.records.map(textOf), ['kills its worker']);
    await until(async () => (await deadOf(groupId)).length === 1);
    const [letter] = await deadOf(groupId);
    assert.equal(letter?.reason, 'abandoned');
    assert.equal(await receive(0), undefined);
    await queue.deadLetters.drop({ groupId });
  });
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error('waited in vain');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
