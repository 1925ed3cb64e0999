import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { ReceiveMessageCommand, type Message, type SQSClient } from '@aws-sdk/client-sqs';
import { sqsEnv, startSqsServer } from '#test/support/queue/sqs-server.ts';
import { createTestQueue } from '#test/support/queue/test-queue.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { makeMessageLog } from '../postgres/message-log.ts';
import { makeSqsClient } from './check-queue.ts';
import { makeSqsQueue } from './engine.ts';
import { fetchMessages } from './fetch.ts';

Object.assign(process.env, sqsEnv);

const { options, queue: log, drain } = await createTestQueue();
const { server, createQueue } = await startSqsServer();
const { queueUrl, name, deadLetterName } = createQueue();
const sqs = makeSqsClient(queueUrl);
const queue = makeSqsQueue({ ...options, deadLetterUrl: undefined, queueUrl, pollMs: 1000 });
after(() => queue.stop());

const { deadLetters } = log;
const deps = { ...options, sqs, messages: makeMessageLog(options), deadLetters };
const collect = () => fetchMessages(deps, queueUrl.replace(/[^/]+$/, deadLetterName), 0);

const send = (groupId: string, text: string) =>
  queue.send({ groupId, deduplicationId: randomUUID(), body: Buffer.from(JSON.stringify(text)) });

/** As a receiver does that dies before it has stored anything. */
const receiveAndDie = async () => {
  const { Messages = [] } = await sqs.send(
    new ReceiveMessageCommand({ QueueUrl: queueUrl, WaitTimeSeconds: 5 }),
  );
  assert.equal(Messages.length, 1);
};

/** Amazon SQS moves a message there when somebody would receive it once more. */
const untilInDeadLetterQueue = () =>
  waitUntil('the message to be in the dead-letter queue', async () => {
    await fetchMessages(deps, queueUrl, 0);
    return server.inspectQueue(deadLetterName)?.messages.ready.length === 1;
  });

test('messages of a receiver that died before it stored them are collected, and their group goes on', async () => {
  const groupId = randomUUID();
  await send(groupId, 'lost and found');
  await receiveAndDie();
  await untilInDeadLetterQueue();
  await send(groupId, 'later');
  assert.deepEqual((await queue.depth()).ready, 2);
  assert.equal(await fetchMessages(deps, queueUrl, 0), 1);
  assert.equal(await collect(), 1);
  assert.deepEqual(await drain(), ['later', 'lost and found']);
  assert.equal(await collect(), 0);
});

test('a receiver fetches a batch, and leaves the rest to others', async () => {
  for (let count = 0; count < 15; count += 1) await send(randomUUID(), 'one of many');
  const claim = await queue.receive({ maxMessages: 40, waitMs: 0, signal: new AbortController().signal });
  assert.equal(claim?.records.length, 10);
  assert.equal(server.inspectQueue(name)?.messages.ready.length, 5);
  await claim.settle([]);
  await fetchMessages(deps, queueUrl, 0);
  await drain();
});

test('a message that was stored and not removed is recognised at its next delivery', async () => {
  const [groupId, deduplicationId] = [randomUUID(), randomUUID()];
  const body = Buffer.from('"once"');
  await queue.send({ groupId, deduplicationId, body });
  await receiveAndDie();
  await log.send({ groupId, deduplicationId, body });
  assert.deepEqual(await drain(), ['once']);
  await untilInDeadLetterQueue();
  assert.equal(await collect(), 1);
  assert.deepEqual(await drain(), []);
});

test('a foreign message becomes a dead letter and delays no other', async () => {
  const groupId = randomUUID();
  const foreign = [
    'no JSON',
    '{}',
    '{"deduplicationId":"a\\u0000b","body":"eA=="}',
    '{"deduplicationId":"a","body":"eA=="}',
  ];
  for (const text of foreign)
    server.sendMessage(name, text, { messageGroupId: groupId, messageDeduplicationId: randomUUID() });
  await send(groupId, 'ours');
  const claim = await queue.receive({ maxMessages: 10, waitMs: 5000, signal: new AbortController().signal });
  assert.deepEqual(
    claim?.records.map(({ body }) => JSON.parse(body) as string),
    ['ours'],
  );
  await claim?.settle([]);
  const deadLetters = await queue.deadLetters.list({ groupId });
  assert.deepEqual(
    deadLetters.map(({ reason }) => reason),
    foreign.map(() => 'unreadable'),
  );
});

test('a message moved to another group does not open', async () => {
  const [groupId, other] = [randomUUID(), randomUUID()];
  await send(groupId, 'for one group');
  const [message] = server.inspectQueue(name)?.messages.ready ?? [];
  server.sendMessage(name, message?.body ?? '', {
    messageGroupId: other,
    messageDeduplicationId: randomUUID(),
  });
  const claim = await queue.receive({ maxMessages: 10, waitMs: 5000, signal: new AbortController().signal });
  assert.deepEqual(
    claim?.records.map(({ attributes }) => attributes.MessageGroupId),
    [groupId],
  );
  await claim?.settle([]);
  assert.deepEqual(
    (await queue.deadLetters.list({ groupId: other })).map(({ reason }) => reason),
    ['unreadable'],
  );
});

/** Amazon SQS hands out several messages of a group at once, which the server of these tests does not. */
const handingOut = (Messages: Message[]) =>
  ({
    send: async (command: unknown) => (command instanceof ReceiveMessageCommand ? { Messages } : {}),
  }) as never as SQSClient;

test('of several messages of one group the order holds, with retried dead letters between them', async () => {
  const groupId = randomUUID();
  await send(groupId, 'failing');
  const claim = await queue.receive({ maxMessages: 10, waitMs: 5000, signal: new AbortController().signal });
  await claim?.settle(claim.records.map(({ messageId }) => ({ messageId, reason: 'refused_by_store' })));
  await send(groupId, 'before');
  assert.equal(await queue.deadLetters.redrive({ groupId }), 1);
  await send(groupId, 'after');
  const waiting = server.inspectQueue(name)?.messages.ready ?? [];
  const received = waiting.map(({ messageId, body }) => ({
    MessageId: messageId,
    Body: body,
    ReceiptHandle: messageId,
    Attributes: { MessageGroupId: groupId },
  }));
  const repeated = [...received, ...received];
  assert.equal(await fetchMessages({ ...deps, sqs: handingOut(repeated) }, queueUrl, 0), 6);
  assert.deepEqual(await drain(), ['before', 'failing', 'after']);
  assert.deepEqual(await queue.deadLetters.list({ groupId }), []);
});
