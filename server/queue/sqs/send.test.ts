import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { sqsEnv, startSqsServer } from '#test/support/queue/sqs-server.ts';
import { createTestQueue } from '#test/support/queue/test-queue.ts';
import { sealMessage } from '../messages/segment.ts';
import { maxMessageBytes } from '../policy.ts';
import { makeMessageLog } from '../postgres/message-log.ts';
import { makeSqsClient } from './check-queue.ts';
import { makeSqsQueue } from './engine.ts';
import { makeSendBatch, type SqsMessage } from './send.ts';

Object.assign(process.env, sqsEnv);

const { options, database } = await createTestQueue();
const { server, createQueue } = await startSqsServer();
const { queueUrl, name } = createQueue();
const sqs = makeSqsClient(queueUrl);
const messages = makeMessageLog(options);
const queue = makeSqsQueue({ ...options, deadLetterUrl: undefined, queueUrl, pollMs: 1000 });
after(() => queue.stop());

const receive = async () => {
  const claim = await queue.receive({ maxMessages: 10, waitMs: 0, signal: new AbortController().signal });
  await claim?.settle([]);
  return claim?.records.map(({ body }) => body) ?? [];
};

test('a body of 1 MiB that does not compress goes by reference and arrives as it was', async () => {
  const body = Buffer.from(
    JSON.stringify(
      randomBytes(maxMessageBytes)
        .toString('base64')
        .slice(0, maxMessageBytes - 2),
    ),
  );
  assert.equal(body.length, maxMessageBytes);
  assert.equal(await queue.send({ groupId: randomUUID(), deduplicationId: 'large', body }), 'queued');
  const [waiting] = server.inspectQueue(name)?.messages.ready ?? [];
  assert.match(waiting?.body ?? '', /bodyRef/);
  assert.deepEqual(await receive(), [body.toString()]);
});

test('any body travels, whatever characters are in it, and Amazon SQS sees none of it', async () => {
  const text = JSON.stringify('\u007f\ufffe\uffff 🦊 secret');
  await queue.send({ groupId: randomUUID(), deduplicationId: 'odd', body: Buffer.from(text) });
  const [waiting] = server.inspectQueue(name)?.messages.ready ?? [];
  assert.doesNotMatch(waiting?.body ?? '', /secret/);
  assert.doesNotMatch(Buffer.from(waiting?.body ?? '', 'base64').toString(), /secret/);
  assert.deepEqual(await receive(), [text]);
});

test('of a call some may be refused: each sender hears of its own, and of a repeat the same as of the first', async () => {
  const narrow = createQueue({ MaximumMessageSize: '2048' });
  const sendBatch = makeSendBatch({ sqs, queueUrl: narrow.queueUrl, log: messages });
  const message = (deduplicationId: string, bytes: number): SqsMessage => ({
    groupId: randomUUID(),
    deduplicationId,
    content: { body: randomBytes(bytes) },
  });
  const large = message('large', 4000);
  const outcomes = await sendBatch([message('small', 10), large, message('other', 10), large]);
  assert.deepEqual(
    outcomes.map((outcome) => (outcome instanceof Error ? 'refused' : outcome)),
    ['queued', 'refused', 'queued', 'refused'],
  );
  assert.match(String(outcomes[1]), /must be shorter than 2048 bytes/);
});

test('while the database does not answer webhooks are taken all the same, and a repeat is processed once', async () => {
  const sendBatch = makeSendBatch({
    sqs,
    queueUrl,
    log: {
      storeBody: () => Promise.reject(new Error('away')),
      checkDuplicates: () => new Promise(() => {}),
    },
  });
  const groupId = randomUUID();
  const body = sealMessage(options.sealer, { groupId, body: Buffer.from('"once"') });
  const message = { groupId, deduplicationId: 'same', content: { body } };
  const large = { ...message, content: { body: randomBytes(maxMessageBytes) } };
  assert.deepEqual(await sendBatch([message]), ['queued']);
  assert.deepEqual(await sendBatch([large, message]), [new Error('away'), 'queued']);
  assert.deepEqual(await receive(), ['"once"']);
  assert.deepEqual(await receive(), []);
});

test('another process knows what was processed; what failed is taken again although Amazon SQS remembers it', async () => {
  const other = makeSqsQueue({ ...options, deadLetterUrl: undefined, db: database.api, queueUrl });
  const message = { groupId: randomUUID(), deduplicationId: 'x'.repeat(200), body: Buffer.from('1') };
  const failing = async (): Promise<void> => {
    const claim = await queue.receive({ maxMessages: 10, waitMs: 0, signal: new AbortController().signal });
    assert.equal(claim?.records[0]?.attributes.MessageDeduplicationId, message.deduplicationId);
    await claim.settle(claim.records.map(({ messageId }) => ({ messageId, reason: 'refused_by_store' })));
  };
  assert.equal(await queue.send(message), 'queued');
  await failing();
  assert.equal(await other.send(message), 'queued');
  await failing();
  assert.equal(await queue.send(message), 'queued');
  assert.deepEqual(await receive(), ['1']);
  assert.equal(await other.send(message), 'duplicate');
  await other.stop();
});
