import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { after, test } from 'node:test';
import pino from 'pino';
import {
  leaveOutAttributes,
  startSqsServer,
  sqsEnv,
  unreportedByElasticMq,
} from '#test/support/queue/sqs-server.ts';
import { createTestQueue } from '#test/support/queue/test-queue.ts';
import { describeQueueConformance } from '../conformance/suite.ts';
import { makeSqsQueue } from './engine.ts';

Object.assign(process.env, sqsEnv);

const visibilityTimeoutMs = 500;
const { options } = await createTestQueue();
const { createQueue } = await startSqsServer();
const { queueUrl } = createQueue();
const queue = makeSqsQueue({
  ...options,
  deadLetterUrl: undefined,
  visibilityTimeoutMs,
  sweeps: true,
  queueUrl,
  pollMs: 1000,
});
await queue.start();
after(() => queue.stop());

describeQueueConformance('Amazon SQS', queue);

test('a queue starts on a server that does not report every attribute, and warns of each', async () => {
  const lines: string[] = [];
  const out = new Writable({ write: (chunk: Buffer, _, done) => done(void lines.push(chunk.toString())) });
  const elsewhere = makeSqsQueue({
    ...options,
    log: pino({ level: 'warn' }, out),
    deadLetterUrl: undefined,
    visibilityTimeoutMs,
    queueUrl: await leaveOutAttributes(createQueue().queueUrl, unreportedByElasticMq),
  });
  await elsewhere.start();
  await elsewhere.stop();
  assert.equal(lines.length, 7);
  assert.match(lines[0] ?? '', /DeduplicationScope is not reported, should be messageGroup/);
});
