import assert from 'node:assert/strict';
import { test } from 'node:test';
import { watchedWorkflows } from './watched-workflows.ts';

const known = [
  {
    repository: 'acme/site',
    workflow: 'CI',
    branches: ['main', 'release/1', 'ann:main'],
    defaultBranches: ['main'],
  },
  { repository: 'acme/docs', workflow: 'CI / lint', branches: ['main'], defaultBranches: [] },
  { repository: 'acme/docs', workflow: null, branches: [null], defaultBranches: [] },
];
const all = {
  repositories: '',
  workflows: '',
  branches: '',
  defaultBranchOnly: false,
  watch: 'failure',
  failureGroups: 'all',
} as const;

test('without patterns every workflow matches', () => {
  assert.deepEqual(watchedWorkflows(known, all), known);
});

test('all three patterns must match, and only matching branches are returned', () => {
  assert.deepEqual(watchedWorkflows(known, { ...all, branches: 'main, release/*' }), [
    { repository: 'acme/site', workflow: 'CI', branches: ['main', 'release/1'], defaultBranches: ['main'] },
    { repository: 'acme/docs', workflow: 'CI / lint', branches: ['main'], defaultBranches: [] },
  ]);
  assert.deepEqual(
    watchedWorkflows(known, { ...all, repositories: 'acme/*, !acme/docs', branches: 'main' }),
    [{ repository: 'acme/site', workflow: 'CI', branches: ['main'], defaultBranches: ['main'] }],
  );
  assert.deepEqual(
    watchedWorkflows(known, { ...all, workflows: 'CI*' }).map(({ workflow }) => workflow),
    ['CI', 'CI / lint'],
  );
  assert.deepEqual(watchedWorkflows(known, { ...all, workflows: 'deploy' }), []);
});

test('a rule about the default branch matches that of each repository only', () => {
  assert.deepEqual(watchedWorkflows(known, { ...all, defaultBranchOnly: true }), [
    { repository: 'acme/site', workflow: 'CI', branches: ['main'], defaultBranches: ['main'] },
  ]);
  assert.deepEqual(watchedWorkflows(known, { ...all, defaultBranchOnly: true, branches: 'release/*' }), []);
});

test('a rule about new failures matches the default branch only', () => {
  assert.deepEqual(watchedWorkflows(known, { ...all, failureGroups: 'new_on_default_branch' }), [
    { repository: 'acme/site', workflow: 'CI', branches: ['main'], defaultBranches: ['main'] },
  ]);
});
