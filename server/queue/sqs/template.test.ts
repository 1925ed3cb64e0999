import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { loadConfig } from '#platform/runtime/settings/config.ts';
import { checkDeadLetterQueue, checkMainQueue } from './queue-attributes.ts';

interface Resource {
  Type: string;
  DeletionPolicy?: string;
  UpdateReplacePolicy?: string;
  Properties: Record<string, unknown>;
}

interface Template {
  Parameters: Record<string, { Default: string | number; AllowedPattern?: string }>;
  Resources: Record<string, Resource>;
}

interface Statement {
  Effect: string;
  Resource: unknown;
  Condition?: unknown;
}

const file = path.join(import.meta.dirname, '../../../deploy/aws/queue.yaml');
const template = parse(readFileSync(file, 'utf8')) as Template;

/** As Amazon SQS tells them: texts, with the parameters' defaults. */
function attributesOf(resource: string): Record<string, string> {
  const properties = template.Resources[resource]?.Properties ?? {};
  return Object.fromEntries(
    Object.entries(properties).map(([name, value]) => {
      const { Ref } = { ...(value as { Ref?: string }) };
      if (Ref !== undefined) return [name, String(template.Parameters[Ref]?.Default)];
      return [name, typeof value === 'object' ? JSON.stringify(value) : String(value)];
    }),
  );
}

const ofType = (type: string): [string, Resource][] =>
  Object.entries(template.Resources).filter(([, resource]) => resource.Type === type);
const queues = ofType('AWS::SQS::Queue');
const arnOf = (queue: string) => ({ 'Fn::GetAtt': [queue, 'Arn'] });

test('the queues that deploy/aws makes are what the service asks for with its defaults', () => {
  const { visibilityTimeoutMs } = loadConfig({});
  const queue = attributesOf('Queue');
  // A reference there, its value at Amazon.
  queue['RedrivePolicy'] = JSON.stringify({
    ...JSON.parse(queue['RedrivePolicy'] ?? ''),
    deadLetterTargetArn: 'a:b',
  });
  const asNeeded = { faults: [], unreported: [] };
  assert.deepEqual(checkMainQueue(queue, visibilityTimeoutMs), asNeeded);
  assert.deepEqual(checkDeadLetterQueue(attributesOf('DeadLetterQueue')), asNeeded);
});

test('each queue has one policy that names this queue alone and refuses connections without TLS', () => {
  const policies = ofType('AWS::SQS::QueuePolicy').map(([, { Properties }]) => Properties);
  assert.deepEqual(
    policies.map((policy) => policy['Queues']),
    queues.map(([queue]) => [{ Ref: queue }]),
  );
  for (const [index, [queue]] of queues.entries()) {
    const { Statement } = policies[index]!['PolicyDocument'] as { Statement: Statement[] };
    // A list of resources is refused as well, even of one.
    for (const { Resource } of Statement) assert.deepEqual(Resource, arnOf(queue));
    const secure = Statement.filter(({ Effect }) => Effect === 'Deny').map(({ Condition }) => Condition);
    assert.deepEqual(secure, [{ Bool: { 'aws:SecureTransport': 'false' } }]);
  }
});

test('the dead-letter queue is that of the queue, and takes messages of no other', () => {
  const { Queue, DeadLetterQueue } = template.Resources;
  assert.deepEqual(Queue?.Properties['RedrivePolicy'], {
    deadLetterTargetArn: arnOf('DeadLetterQueue'),
    maxReceiveCount: 1,
  });
  // By its name: a reference to the queue, which refers to this one, would be a circle.
  const name = (Queue!.Properties['QueueName'] as { 'Fn::Sub': string })['Fn::Sub'];
  const arn = `arn:\${AWS::Partition}:sqs:\${AWS::Region}:\${AWS::AccountId}:${name}`;
  assert.deepEqual(DeadLetterQueue?.Properties['RedriveAllowPolicy'], {
    redrivePermission: 'byQueue',
    sourceQueueArns: [{ 'Fn::Sub': arn }],
  });
  assert.equal(DeadLetterQueue?.Properties['RedrivePolicy'], undefined);
});

test('both queues are FIFO by type and name, within the 80 characters of a name', () => {
  const longest = Number(/\{1,(\d+)\}\$$/.exec(template.Parameters['Name']?.AllowedPattern ?? '')?.[1]);
  const names = queues.map(
    ([, { Properties }]) => (Properties['QueueName'] as { 'Fn::Sub': string })['Fn::Sub'],
  );
  assert.equal(new Set(names).size, 2);
  for (const name of names) {
    assert.ok(name.endsWith('.fifo'), name);
    assert.ok(name.replace('${Name}', 'x'.repeat(longest)).length <= 80, name);
  }
  assert.deepEqual(
    queues.map(([, { Properties }]) => Properties['FifoQueue']),
    [true, true],
  );
});

test('accepted webhooks survive the stack and stay 14 days, the most there is', () => {
  for (const [queue, { DeletionPolicy, UpdateReplacePolicy, Properties }] of queues) {
    // `Retain` would keep the queues of a failed first deployment, whose names then stop the second.
    assert.equal(DeletionPolicy, 'RetainExceptOnCreate', queue);
    assert.equal(UpdateReplacePolicy, 'Retain', queue);
    assert.equal(Properties['MessageRetentionPeriod'], 14 * 86_400, queue);
  }
});
