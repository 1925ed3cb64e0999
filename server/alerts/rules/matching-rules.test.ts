import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RuleBody } from '#contract/alerts/alerts.ts';
import { ruleBody } from '#test/support/alerts/rule-body.ts';
import { matchingRules, type Completion } from './matching-rules.ts';

const job: Completion = {
  event: 'job',
  runId: 1,
  attempt: 1,
  jobId: 2,
  repository: 'acme/site',
  workflow: 'CI / main',
  branch: 'release/1',
  conclusion: 'failure',
  actor: 'renovate[bot]',
  name: 'test (ubuntu)',
  url: null,
  at: 0,
};
const run: Completion = { ...job, event: 'run', jobId: null, name: 'A title' };
const marked = { isUnmarked: false, isNewOnDefaultBranch: false };
const known = { isUnmarked: true, isNewOnDefaultBranch: false };
const fresh = { isUnmarked: true, isNewOnDefaultBranch: true };
const only = (...include: string[]) => ({ include, exclude: [] });
const not = (...exclude: string[]) => ({ include: [], exclude });

const cases: [string, Partial<RuleBody>, Completion, boolean][] = [
  ['everything', {}, job, true],
  ['a run without jobs', {}, { ...run, conclusion: 'startup_failure' }, true],
  ['time-outs', {}, { ...job, conclusion: 'timed_out' }, true],
  ['cancelled is not among the usual', {}, { ...job, conclusion: 'cancelled' }, false],
  ['cancelled when asked for', { conclusions: ['cancelled'] }, { ...job, conclusion: 'cancelled' }, true],
  ['an unknown conclusion', {}, { ...job, conclusion: 'new' }, false],
  ['jobs only', { events: ['job'] }, run, false],
  ['runs only', { events: ['run'] }, job, false],
  ['a repository', { repositories: only('acme/*') }, job, true],
  ['another repository', { repositories: only('other/*') }, job, false],
  ['a repository left out', { repositories: { include: ['acme/*'], exclude: ['*/site'] } }, job, false],
  ['the default branch', { defaultBranchOnly: true }, { ...job, onDefaultBranch: true }, true],
  ['no default branch', { defaultBranchOnly: true }, { ...job, onDefaultBranch: false }, false],
  ['an unknown default branch', { defaultBranchOnly: true }, job, false],
  [
    'another default branch',
    { defaultBranchOnly: true, branches: only('main') },
    { ...job, onDefaultBranch: true },
    false,
  ],
  ['a branch by *', { branches: only('*') }, job, false],
  ['a branch by **', { branches: only('release/**') }, job, true],
  ['a workflow whose name has a slash', { workflows: only('CI*') }, job, true],
  ['a job', { jobs: only('test (*)') }, job, true],
  ['another job', { jobs: only('lint') }, job, false],
  ['a run is not asked for its job', { jobs: only('lint') }, run, true],
  ['a bot', { ignoreBots: true }, job, false],
  ['a person', { ignoreBots: true }, { ...job, actor: 'ann' }, true],
  ['an actor left out', { actors: not('renovate*') }, job, false],
  ['an actor nobody knows', { actors: only('*') }, { ...job, actor: null }, false],
  ['no actor is no bot', { ignoreBots: true, actors: not('ann') }, { ...job, actor: null }, true],
  ['a failure of an unknown group', { failureGroups: 'unmarked' }, job, true],
  ['a marked failure', { failureGroups: 'unmarked' }, { ...job, groups: marked }, false],
  ['a marked failure, if all count', {}, { ...job, groups: marked }, true],
  ['an unmarked failure', { failureGroups: 'unmarked' }, { ...job, groups: known }, true],
  ['a known failure', { failureGroups: 'new_on_default_branch' }, { ...job, groups: known }, false],
  ['a new failure', { failureGroups: 'new_on_default_branch' }, { ...job, groups: fresh }, true],
  ['a re-run', { firstAttemptOnly: true }, { ...job, attempt: 2 }, false],
];

test('a rule matches only what its conditions allow', () => {
  for (const [what, fields, completion, matches] of cases)
    assert.equal(matchingRules([ruleBody(fields)], completion).length === 1, matches, what);
});
