import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError } from '#platform/runtime/settings/config.ts';
import { freePort } from '#platform/runtime/processes/free-port.ts';
import {
  leaveOutAttributes,
  sqsEnv,
  startSqsServer,
  unreportedByElasticMq,
} from '#test/support/queue/sqs-server.ts';
import { checkQueue, makeSqsClient, type SqsQueueSettings } from './check-queue.ts';

Object.assign(process.env, sqsEnv);

const { server, createQueue } = await startSqsServer();

const check = (queueUrl: string, different: Partial<SqsQueueSettings> = {}) => {
  const settings = { queueUrl, deadLetterUrl: undefined, visibilityTimeoutMs: 1000, ...different };
  return checkQueue(makeSqsClient(queueUrl), settings);
};

async function problemsOf(queueUrl: string, different: Partial<SqsQueueSettings> = {}): Promise<string[]> {
  const error = await check(queueUrl, different).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error === undefined) return [];
  assert.ok(error instanceof ConfigError);
  return error.faults.map(({ name, problem }) => `${name} ${problem}`);
}

test('a queue as deploy/aws makes it passes, and its dead-letter queue is found', async () => {
  const { queueUrl, deadLetterName } = createQueue();
  const { deadLetterUrl } = await check(queueUrl);
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
    [
      { SqsManagedSseEnabled: 'false' },
      /SqsManagedSseEnabled is "false", should be true, or KmsMasterKeyId set/,
    ],
  ];
  for (const [attributes, problem] of cases) {
    const { queueUrl } = createQueue({ VisibilityTimeout: '45', ...attributes });
    const problems = await problemsOf(queueUrl, { visibilityTimeoutMs: 45_000 });
    assert.equal(problems.length, 1, problems.join('\n'));
    assert.match(problems[0] ?? '', problem);
    assert.ok(problems[0]?.startsWith(`QUEUE_URL is "${queueUrl}", whose `));
  }
});

test('an attribute that the server does not report is unknown; one that it reports wrongly is a fault', async () => {
  const queueUrl = await leaveOutAttributes(createQueue().queueUrl, unreportedByElasticMq);
  const { unreported } = await check(queueUrl);
  const named = unreported.map(({ name, problem }) => `${name} ${/whose (.*)/.exec(problem)?.[1]}`);
  assert.deepEqual(named, [
    'QUEUE_URL DeduplicationScope is not reported, should be messageGroup',
    'QUEUE_URL FifoThroughputLimit is not reported, should be perMessageGroupId',
    'QUEUE_URL MaximumMessageSize is not reported, should be at least 1048576',
    'QUEUE_URL MessageRetentionPeriod is not reported, should be at least 86400',
    'QUEUE_URL SqsManagedSseEnabled is not reported, should be true, or KmsMasterKeyId set',
    'QUEUE_DLQ_URL MessageRetentionPeriod is not reported, should be 1209600',
    'QUEUE_DLQ_URL SqsManagedSseEnabled is not reported, should be true, or KmsMasterKeyId set',
  ]);
  const short = await leaveOutAttributes(createQueue().queueUrl, unreportedByElasticMq);
  const [problem, ...others] = await problemsOf(short, { visibilityTimeoutMs: 45_000 });
  assert.match(problem ?? '', /VisibilityTimeout is "1", should be at least 45/);
  assert.deepEqual(others, []);
});

test('a queue that does not report FIFO is refused, because Amazon reports it for FIFO queues only', async () => {
  const [problem] = await problemsOf(await leaveOutAttributes(createQueue().queueUrl, ['FifoQueue']));
  assert.match(problem ?? '', /FifoQueue is unset, should be true/);
});

test('a dead-letter queue that is given more than one try, forgets too soon or is not there is named', async () => {
  const { queueArn } = server.createQueue('forgetful.fifo', { attributes: { FifoQueue: 'true' } });
  const policy = (deadLetterTargetArn: string, maxReceiveCount: number) => ({
    RedrivePolicy: JSON.stringify({ deadLetterTargetArn, maxReceiveCount }),
  });
  const [tries, retention] = await problemsOf(createQueue(policy(queueArn, 3)).queueUrl);
  assert.match(tries ?? '', /RedrivePolicy has maxReceiveCount 3, should have 1/);
  assert.match(retention ?? '', /QUEUE_DLQ_URL .*MessageRetentionPeriod is "345600", should be 1209600/);
  const [missing] = await problemsOf(createQueue(policy(`${queueArn}-gone`, 1)).queueUrl);
  assert.match(missing ?? '', /QUEUE_DLQ_URL .* lets us in: QueueDoesNotExist/);
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

test('the dead-letter queue may be given by another address, and not by another name', async () => {
  const { queueUrl, deadLetterName } = createQueue();
  const deadLetterUrl = `http://localhost:${server.port}/000000000000/${deadLetterName}`;
  assert.deepEqual(await check(queueUrl, { deadLetterUrl }), { deadLetterUrl, unreported: [] });
  const [other] = await problemsOf(queueUrl, { deadLetterUrl: createQueue().queueUrl });
  assert.match(
    other ?? '',
    new RegExp(`QUEUE_DLQ_URL is .*, should be .*${deadLetterName}, which the redrive policy`),
  );
});

test("the region is that of Amazon's address, and the endpoint that of the standard variable", async (t) => {
  const { name } = createQueue();
  process.env['AWS_ENDPOINT_URL_SQS'] = `http://127.0.0.1:${server.port}`;
  delete process.env['AWS_REGION'];
  t.after(() => {
    delete process.env['AWS_ENDPOINT_URL_SQS'];
    Object.assign(process.env, sqsEnv);
  });
  await check(`https://sqs.${sqsEnv.AWS_REGION}.amazonaws.com/000000000000/${name}`);
});
