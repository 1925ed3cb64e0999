import assert from 'node:assert/strict';
import { test } from 'node:test';
import { infrastructureFault } from './infrastructure.ts';

test('a fault of the machine is recognized by the words of the forge', () => {
  const cases = {
    runner_lost: [
      'The self-hosted runner: build-7 lost communication with the server. Verify the machine is running.',
      'The runner has received a shutdown signal. This can happen when the runner service is stopped.',
    ],
    no_runner: ['The job was not acquired by Runner of type hosted even after multiple attempts'],
    timeout: [
      'The job running on runner GitHub Actions 3 has exceeded the maximum execution time of 360 minutes.',
      "The action 'Run tests' has timed out after 10 minutes.",
    ],
    disk_full: [
      'System.IO.IOException: No space left on device : /opt/runner/_diag',
      'ENOSPC: no space left on device, write',
      'There is not enough space on the disk.',
      'Disk quota exceeded',
    ],
  };
  for (const [fault, lines] of Object.entries(cases))
    for (const line of lines) assert.equal(infrastructureFault([line]), fault, line);
});

test('similar words of a program are no fault of the machine', () => {
  for (const line of [
    'Error: ENOSPC: System limit for number of file watchers reached',
    'Test timed out after 5000 ms',
    'the client lost the connection',
    'expected "no space" to be 3',
    'Process completed with exit code 1.',
    '',
  ])
    assert.equal(infrastructureFault([line]), null, line);
});

test('the first text with a fault decides', () => {
  const texts = ['Tests fail', 'the runner has received a shutdown signal', 'no space left on device'];
  assert.equal(infrastructureFault(texts), 'runner_lost');
  assert.equal(infrastructureFault([]), null);
});

test('only the start of a very long text is read', () => {
  assert.equal(infrastructureFault([`${'x'.repeat(1_000)} no space left on device`]), null);
});
