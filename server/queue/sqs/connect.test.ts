import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError } from '#platform/runtime/config.ts';
import { freePort } from '#platform/runtime/free-port.ts';
import { sqsEnv, startSqsServer } from '#test/support/sqs-server.ts';
import { examineQueue, makeSqsClient } from './connect.ts';

Object.assign(process.env, sqsEnv);

const { server, createQueue } = await startSqsServer();

async function problemsOf(queueUrl: string, visibilityTimeoutMs = 1000): Promise<string[]> {
  const error = await examineQueue(makeSqsClient(queueUrl), queueUrl, visibilityTimeoutMs).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error === undefined) return [];
  assert.ok(error instanceof ConfigError);
  return error.faults.map(({ name, problem }) => `${name} ${problem}`);
}

test('a queue as deploy/aws makes it passes, and its dead-letter queue is found', async () => {
  const { queueUrl, deadLetterName } = createQueue();
  const { deadLetterUrl } = await examineQueue(makeSqsClient(queueUrl), queueUrl, 1000);
  assert.equal(deadLetterUrl, queueUrl.replace(/[^/]+$/, deadLetterName));
});

test('each attribute that is not as needed is named with what it should be', async () => {
  const cases: [Record<string, string>, RegExp][] = [
    [{ DeduplicationScope: 'queue' }, /DeduplicationScope is "queue", should be messageGroup/],
    [{ FifoThroughputLimit: 'perQueue' }, /FifoThroughputLimit is "perQueue", should be perMessageGroupId/],
    [{ MaximumMessageSize: '262144' }, /MaximumMessageSize is "262144", should be at least 1048576/],
    [{ MessageRetentionPeriod: '3600' }, /MessageRetentionPeriod is "3600", should be at least 86400/],
    [
      { VisibilityTimeout: '44' },
      /VisibilityTimeout is "44", should be at least 45, 1.5 times WORKER_TIMEOUT_SECONDS/,
    ],
    [{ RedrivePolicy: '' }, /RedrivePolicy is unset, should name a dead-letter queue with maxReceiveCount 1/],
    [{ SqsManagedSseEnabled: 'false' }, /SqsManagedSseEnabled is off/],
  ];
  for (const [attributes, problem] of cases) {
    const { queueUrl } = createQueue({ VisibilityTimeout: '45', ...attributes });
    const problems = await problemsOf(queueUrl, 45_000);
    assert.equal(problems.length, 1, problems.join('\n'));
    assert.match(problems[0] ?? '', problem);
    assert.ok(problems[0]?.startsWith(`QUEUE_URL is "${queueUrl}", whose `));
  }
});

test('a dead-letter queue that is given more than one try, forgets too soon or is not there is named', async () => {
  const { queueArn } = server.createQueue('forgetful.fifo', { attributes: { FifoQueue: 'true' } });
  const policy = (deadLetterTargetArn: string, maxReceiveCount: number) => ({
    RedrivePolicy: JSON.stringify({ deadLetterTargetArn, maxReceiveCount }),
  });
  const [tries, retention] = await problemsOf(createQueue(policy(queueArn, 3)).queueUrl);
  assert.match(tries ?? '', /RedrivePolicy has maxReceiveCount 3, should have 1/);
  assert.match(
    retention ?? '',
    /MessageRetentionPeriod of the dead-letter queue is "345600", should be 1209600/,
  );
  const [missing] = await problemsOf(createQueue(policy(`${queueArn}-gone`, 1)).queueUrl);
  assert.match(missing ?? '', /whose dead-letter queue .* lets us in: QueueDoesNotExist/);
});

test('a queue that does not exist, does not answer, or whose region is unknown is a fault of the setting', async (t) => {
  const { queueUrl } = createQueue();
  const [missing] = await problemsOf(`${queueUrl.replace(/[^/]+$/, '')}nothing.fifo`);
  assert.match(missing ?? '', /QUEUE_URL is .*should be a queue that lets us in: QueueDoesNotExist/);
  const [silent] = await problemsOf(`http://127.0.0.1:${await freePort()}/000000000000/a.fifo`);
  assert.match(silent ?? '', /lets us in: .*ECONNREFUSED/);
  delete process.env['AWS_REGION'];
  t.after(() => Object.assign(process.env, sqsEnv));
  const [region] = await problemsOf(queueUrl);
  assert.match(region ?? '', /AWS_REGION is unset, should be the region of QUEUE_URL/);
});
