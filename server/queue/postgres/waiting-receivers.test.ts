import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import pino from 'pino';
import { makeListener } from '#platform/database/listener.ts';
import { roleConnection } from '#platform/database/roles/role-connection.ts';
import { testMasterKey } from '#test/support/database/test-database.ts';
import { createTestQueue } from '#test/support/queue/test-queue.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import type { Claim, Queue } from '../queue.ts';
import { makeWakeUp, type WakeUp } from './wake-up.ts';

const { database, queue, open, send, drain } = await createTestQueue();
const log = pino({ level: 'silent' });
const newListener = () => makeListener(roleConnection(database.url, 'forgewatch_worker', testMasterKey), log);
const textsOf = (claim: Claim | undefined): string[] | undefined =>
  claim?.records.map(({ body }) => JSON.parse(body) as string);
/** Undefined unless it is woken: at the end of its wait a receiver looks once more. */
const receiveWhenWoken = (from: Queue): Promise<Claim | undefined> =>
  from.receive({ maxMessages: 10, waitMs: 600_000, signal: AbortSignal.timeout(20_000) });

/** Sends to a receiver that waits in the same process. Fails when the send does not lease the message. */
async function handOver(queue: Queue, groupId: string, body: string): Promise<Claim> {
  const signal = AbortSignal.timeout(20_000);
  const waiting = queue.receive({ maxMessages: 10, waitMs: 600_000, signal, waitsFirst: true });
  await queue.send({ groupId, deduplicationId: randomUUID(), body: Buffer.from(body) });
  const { inFlight } = await queue.depth();
  const claim = await waiting;
  assert.equal(inFlight, 1, 'the message was leased by its send');
  assert.ok(claim !== undefined);
  return claim;
}

/** A queue that sends and receives, and the moment in which its first receiver begins to wait. */
function openBoth() {
  const wakeUp = makeWakeUp();
  const asleep = Promise.withResolvers<void>();
  const sleep: WakeUp['sleep'] = (...args) => {
    asleep.resolve();
    return wakeUp.sleep(...args);
  };
  return { both: open({ wakeUp: { ...wakeUp, sleep } }), asleep: asleep.promise };
}

test('more than one batch wakes more than one receiver', async () => {
  const waiting = [1, 2, 3].map(() => receiveWhenWoken(queue));
  const groups = [randomUUID(), randomUUID(), randomUUID()];
  await Promise.all(groups.flatMap((groupId) => Array.from({ length: 10 }, () => send(groupId, 'x'))));
  const batches = await Promise.all(waiting);
  assert.deepEqual(
    batches.map((batch) => batch?.records.length),
    [10, 10, 10],
  );
  for (const batch of batches) await batch?.settle([]);
});

test('a receiver hears of messages that another process sent', async () => {
  const listener = newListener();
  const receiver = open({ listener });
  await listener.start();
  const waiting = receiveWhenWoken(receiver);
  const sender = open({ db: database.api });
  await sender.send({ groupId: randomUUID(), deduplicationId: 'x', body: Buffer.from('"from afar"') });
  const batch = await waiting;
  assert.deepEqual(textsOf(batch), ['from afar']);
  await batch?.settle([]);
  await sender.stop();
  await listener.stop();
});

test('other processes are notified at once, and only about messages that no local receiver takes', async () => {
  const heard: string[] = [];
  const listener = newListener();
  listener.on('queue_ready', (sender) => heard.push(sender));
  await listener.start();
  const { both, asleep } = openBoth();
  const sendOne = () =>
    both.send({ groupId: randomUUID(), deduplicationId: randomUUID(), body: Buffer.from('"x"') });
  const waiting = receiveWhenWoken(both);
  await asleep;
  await sendOne();
  await (await waiting)?.settle([]);
  await sendOne();
  await both.stop();
  await waitUntil('the notification', () => heard.length > 0);
  assert.equal(heard.length, 1);
  await drain();
  await listener.stop();
});

test('a message for a receiver that waits in its process is leased when its send resolves', async () => {
  const { both, asleep } = openBoth();
  const waiting = receiveWhenWoken(both);
  await asleep;
  await both.send({ groupId: randomUUID(), deduplicationId: 'x', body: Buffer.from('"x"') });
  assert.equal((await queue.depth()).inFlight, 1);
  const claim = await waiting;
  assert.deepEqual(textsOf(claim), ['x']);
  await claim?.settle([]);
});

test('a group without more messages is idle when its handed-over message is settled', async () => {
  const both = open();
  const groupId = randomUUID();
  const first = await handOver(both, groupId, '"1"');
  await first.settle([]);
  assert.equal(first.isLast, true);
  // Only the message of an idle group is handed over.
  const second = await handOver(both, groupId, '"2"');
  await both.send({ groupId, deduplicationId: randomUUID(), body: Buffer.from('"3"') });
  await second.settle([]);
  assert.equal(second.isLast, false);
  assert.deepEqual(await drain(), ['3']);
});

test('a settle that is rolled back leaves a handed-over group leased', async () => {
  const claim = await handOver(open(), randomUUID(), '"x"');
  const failing = database.worker.withScope('service', async (tx) => {
    await claim.settle([], tx);
    throw new Error('the effects failed');
  });
  await assert.rejects(failing, /the effects failed/);
  assert.equal((await queue.depth()).inFlight, 1);
  await claim.settle([]);
  assert.deepEqual(await drain(), []);
});

test('a receiver that waits is not given more messages than it asked for', async () => {
  const { both, asleep } = openBoth();
  const waiting = both.receive({ maxMessages: 2, waitMs: 600_000, signal: AbortSignal.timeout(20_000) });
  await asleep;
  const groups = Array.from({ length: 5 }, () => randomUUID());
  const body = Buffer.from('"x"');
  await Promise.all(groups.map((groupId) => both.send({ groupId, deduplicationId: 'x', body })));
  const claim = await waiting;
  assert.equal(claim?.records.length, 2);
  await claim.settle([]);
  assert.equal((await drain()).length, 3);
});

test('a receiver whose process fails to send goes on waiting', async () => {
  const both = open();
  const waiting = receiveWhenWoken(both);
  await assert.rejects(both.send({ groupId: 'bad \u0000', deduplicationId: 'x', body: Buffer.from('"x"') }));
  await both.send({ groupId: randomUUID(), deduplicationId: 'x', body: Buffer.from('"after it"') });
  const claim = await waiting;
  assert.deepEqual(textsOf(claim), ['after it']);
  await claim?.settle([]);
});
