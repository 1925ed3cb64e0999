import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fingerprint } from './fingerprint.ts';

const failure = {
  workflowPath: '.github/workflows/ci.yml',
  jobName: 'test (20, ubuntu-latest)',
  stepName: 'Run npm test',
  errorLine: 'expected 17 to be 18',
};

test('fingerprint ignores the values of the matrix and numbers', () => {
  const other = { ...failure, jobName: 'test (22, windows-latest)', errorLine: 'expected 1 to be 2' };
  assert.equal(fingerprint(other), fingerprint(failure));
});

test('fingerprint differs for another job, step, workflow or text', () => {
  const others = [
    { ...failure, workflowPath: '.github/workflows/nightly.yml' },
    { ...failure, jobName: 'lint' },
    { ...failure, stepName: null },
    { ...failure, errorLine: 'expected 17 to equal 18' },
  ];
  assert.equal(new Set([failure, ...others].map(fingerprint)).size, 5);
});
