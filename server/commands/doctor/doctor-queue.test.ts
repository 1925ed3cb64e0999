import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  leaveOutAttributes,
  sqsEnv,
  startSqsServer,
  unreportedByElasticMq,
} from '#test/support/queue/sqs-server.ts';
import { createTestQueue } from '#test/support/queue/test-queue.ts';
import { insertDeadLetters } from '#test/support/queue/dead-letters.ts';
import { checkQueue } from './doctor-queue.ts';

Object.assign(process.env, sqsEnv);

const { queue, database } = await createTestQueue();
const { createQueue } = await startSqsServer();
const settings = { queueDeadLetterUrl: undefined, visibilityTimeoutMs: 1000 };
const open = async () => queue;

test('the SQS check examines each attribute and counts the messages', async () => {
  const { queueUrl } = createQueue();
  const good = await checkQueue({ queueUrl, ...settings }, open);
  assert.deepEqual(
    good.map(({ check, verdict }) => [check, verdict]),
    [
      ['Amazon SQS', 'ok'],
      ['queue', 'ok'],
    ],
  );
  const wrong = createQueue({ DeduplicationScope: 'queue', FifoThroughputLimit: 'perQueue' }).queueUrl;
  const findings = await checkQueue({ queueUrl: wrong, ...settings }, open);
  assert.deepEqual(
    findings.map(({ verdict }) => verdict),
    ['wrong', 'wrong'],
  );
  assert.match(findings[0]?.text ?? '', /DeduplicationScope is "queue", should be messageGroup/);
});

test('an attribute that SQS does not report is a note, and the messages are counted', async () => {
  const queueUrl = await leaveOutAttributes(createQueue().queueUrl, unreportedByElasticMq);
  const findings = await checkQueue({ queueUrl, ...settings }, open);
  const verdicts = findings.map(({ check, verdict }) => `${check} ${verdict}`);
  assert.deepEqual([...new Set(verdicts)], ['Amazon SQS note', 'queue ok']);
  assert.match(findings[0]?.text ?? '', /DeduplicationScope is not reported, should be messageGroup\.$/);
});

test('only the Postgres queue is counted without QUEUE_URL', async () => {
  const findings = await checkQueue({ queueUrl: undefined, ...settings }, open);
  assert.deepEqual(findings, [{ check: 'queue', verdict: 'ok', text: '0 ready, 0 in flight, 0 dead' }]);
});

test('dead letters are reported as wrong with the command that lists them', async () => {
  await insertDeadLetters(database, 'a', 'invalid_json');
  const [finding] = await checkQueue({ queueUrl: undefined, ...settings }, open);
  assert.equal(finding?.verdict, 'wrong');
  assert.match(finding.text, /1 dead\. List them with forgewatch dead-letters list/);
});
