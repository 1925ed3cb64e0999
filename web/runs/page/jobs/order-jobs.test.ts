import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WorkflowJob } from '#contract/runs/runs.ts';
import { orderJobs } from './order-jobs.ts';

const job = (name: string, conclusion: string | null, durationMs: number | null) =>
  ({
    name,
    status: conclusion === null ? 'in_progress' : 'completed',
    conclusion,
    durationMs,
  }) as WorkflowJob;
const jobs = [
  job('lint', 'success', 5000),
  job('test (2)', 'failure', 9000),
  job('deploy', null, null),
  job('test (1)', 'timed_out', 1000),
];
const names = (find = '', sort?: { key: string; isDescending: boolean }): string[] =>
  orderJobs(jobs, find, sort).map(({ name }) => name);

test('failed jobs come first, and the others keep their order', () => {
  assert.deepEqual(names(), ['test (2)', 'test (1)', 'lint', 'deploy']);
});

test('jobs are found by a part of their name and by their status', () => {
  assert.deepEqual(names('TEST'), ['test (2)', 'test (1)']);
  assert.deepEqual(names(' running '), ['deploy']);
  assert.deepEqual(names('timed out'), ['test (1)']);
  assert.deepEqual(names('nothing'), []);
});

test('jobs are sorted by name or duration, and those without a duration come last', () => {
  assert.deepEqual(names('', { key: 'name', isDescending: false }), [
    'deploy',
    'lint',
    'test (1)',
    'test (2)',
  ]);
  assert.deepEqual(names('', { key: 'duration', isDescending: true }), [
    'test (2)',
    'lint',
    'test (1)',
    'deploy',
  ]);
});
