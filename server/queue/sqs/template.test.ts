import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { loadConfig } from '#platform/runtime/config.ts';
import { deadLetterQueueFaults, queueFaults } from './queue-attributes.ts';

interface Template {
  Parameters: Record<string, { Default: string | number }>;
  Resources: Record<string, { Properties: Record<string, unknown> }>;
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

test('the queues that deploy/aws makes are what the service asks for with its defaults', () => {
  const { visibilityTimeoutMs } = loadConfig({});
  const queue = attributesOf('Queue');
  // A reference there, its value at Amazon.
  queue['RedrivePolicy'] = JSON.stringify({
    ...JSON.parse(queue['RedrivePolicy'] ?? ''),
    deadLetterTargetArn: 'a:b',
  });
  assert.deepEqual(queueFaults(queue, visibilityTimeoutMs), []);
  assert.deepEqual(deadLetterQueueFaults(attributesOf('DeadLetterQueue')), []);
});
