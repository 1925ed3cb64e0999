import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isUnusual } from '#contract/runs/usual.ts';
import { criticalPath } from './critical-path.ts';

const at = (seconds: number | null): string | null =>
  seconds === null ? null : new Date(1_800_000_000_000 + seconds * 1000).toISOString();

const job = (name: string, created: number, started: number | null, completed: number | null) => ({
  name,
  status: completed === null ? 'in_progress' : 'completed',
  conclusion: completed === null ? null : 'success',
  createdAt: at(created),
  startedAt: at(started),
  completedAt: at(completed),
});

const pathOf = (...jobs: ReturnType<typeof job>[]): string =>
  criticalPath(jobs)
    .map(({ name }) => name)
    .join(' ');

test('the critical path goes from the job that ends last back through those that it waited for', () => {
  const build = job('build', 0, 2, 60);
  assert.equal(
    pathOf(build, job('lint', 0, 2, 30), job('test', 61, 65, 200), job('docs', 31, 35, 50)),
    'build test',
  );
  assert.equal(pathOf(build, job('test', 61, 65, null), job('deploy', 62, null, null)), 'build test');
});

test('jobs that were skipped after a failure are not on the critical path', () => {
  const image = job('image', 0, 2, 60);
  const skipped = { ...job('deploy', 61, 61, 61), conclusion: 'skipped' };
  assert.equal(pathOf(image, skipped), '');
  assert.equal(pathOf(job('build', 0, 2, 60), job('image', 61, 62, 90), skipped), 'build image');
});

test('one job that decides, or no sign of what it waited for, is no path', () => {
  assert.equal(pathOf(job('build', 0, 2, 60)), '');
  assert.equal(pathOf(job('build', 0, 2, 60), job('test', 0, 2, 90)), '');
  assert.equal(pathOf(job('build', 0, 2, 60), job('test', 100, 102, 190)), '');
  assert.equal(pathOf(), '');
});

test('a difference is unusual from a quarter and ten seconds on', () => {
  assert.equal(isUnusual(109_000, 100_000), false);
  assert.equal(isUnusual(125_000, 100_000), true);
  assert.equal(isUnusual(70_000, 100_000), true);
  assert.equal(isUnusual(9_000, 1_000), false);
});
