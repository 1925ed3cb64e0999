import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assessmentText } from './assessment-text.ts';
import type { Assessment } from './failures.ts';

const nothing: Assessment = {
  kind: 'new_on_branch',
  infrastructure: null,
  branch: null,
  since: null,
  runs: null,
  reruns: null,
  passedReruns: null,
  otherBranches: null,
  otherSince: null,
};
const text = (facts: Partial<Assessment>): string =>
  assessmentText({ ...nothing, ...facts }, (time) => `day of ${time}`);

test('each kind of assessment is one line', () => {
  const cases: [Partial<Assessment>, string][] = [
    [{}, 'New on this branch'],
    [
      { kind: 'other_branches', otherBranches: 12, otherSince: 'T' },
      'Also failing on 12 other branches since day of T',
    ],
    [
      { kind: 'branch', branch: 'x', otherBranches: 1, otherSince: 'T' },
      'Failing on x, also on 1 other branch since day of T',
    ],
    [{ kind: 'infrastructure' }, 'Infrastructure: machine failed'],
    [{ kind: 'infrastructure', infrastructure: 'runner_lost' }, 'Infrastructure: runner lost'],
    [{ kind: 'infrastructure', infrastructure: 'timeout' }, 'Infrastructure: timeout'],
    [{ kind: 'infrastructure', infrastructure: 'disk_full' }, 'Infrastructure: disk full'],
    [{ kind: 'flaky', reruns: 5, passedReruns: 3 }, 'Flaky: passed on re-run 3 of 5 times'],
    [{ kind: 'flaky', reruns: 2, passedReruns: 0 }, 'Flaky: passed on re-run 0 of 2 times'],
    [{ kind: 'flaky', reruns: 0, passedReruns: 0 }, 'Known flaky'],
    [
      { kind: 'default_branch', since: 'T', runs: 2 },
      'Also failing on the default branch since day of T, 2 runs',
    ],
    [{ kind: 'default_branch', branch: 'main' }, 'Also failing on main'],
    [{ kind: 'branch', branch: 'dev', since: 'T', runs: 1 }, 'Failing on dev since day of T, 1 run'],
    [{ kind: 'branch' }, 'Failing on this branch'],
  ];
  for (const [facts, line] of cases) assert.equal(text(facts), line);
});

test('an extent needs both a day and a number of runs', () => {
  assert.equal(text({ kind: 'branch', branch: 'dev', since: 'T' }), 'Failing on dev');
  assert.equal(text({ kind: 'branch', branch: 'dev', runs: 3 }), 'Failing on dev');
});

test('a count that ended at its limit has a plus', () => {
  for (const [runs, shown] of [
    [199, '199 runs'],
    [200, '200+ runs'],
    [201, '200+ runs'],
  ] as const)
    assert.ok(text({ kind: 'branch', since: 'T', runs }).endsWith(`, ${shown}`));
});
