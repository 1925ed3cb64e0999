import { after } from 'node:test';
import { startSqsServer, sqsEnv } from '#test/support/sqs-server.ts';
import { createTestQueue } from '#test/support/test-queue.ts';
import { describeQueueConformance } from '../conformance.ts';
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
