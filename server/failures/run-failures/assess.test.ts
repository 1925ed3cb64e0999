import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { assessmentText } from '#contract/failures/assessment-text.ts';
import type { Assessment } from '#contract/failures/failures.ts';
import { assessmentOf, type Findings } from './assess.ts';

type Failure = Parameters<typeof assessmentOf>[0];

const since = new Date('2026-11-18T08:00:00Z');
const onBranch: Failure = {
  infrastructure: null,
  branch: 'feature',
  onDefaultBranch: false,
  isMarkedFlaky: false,
};
const onDefault: Failure = { ...onBranch, branch: 'main', onDefaultBranch: true };
const nothing: Findings = {
  reruns: { reruns: 0, passed: 0 },
  onDefault: { runs: 0, since: null },
  onBranch: { runs: 0, since: null },
  failedBefore: false,
  others: { branches: 0, since: null },
};
const text = (failure: Failure, findings: Partial<Findings>): string =>
  assessmentText(assessmentOf(failure, { ...nothing, ...findings }), (time) => time.slice(0, 10));

test('a failure without an earlier occurrence is new on its branch', () => {
  assert.equal(text(onBranch, {}), 'New on this branch');
  assert.equal(text(onDefault, {}), 'New on this branch');
});

test('a broken machine explains the failure, whatever else is known', () => {
  const known = { reruns: { reruns: 4, passed: 4 }, onDefault: { runs: 3, since }, failedBefore: true };
  assert.equal(text({ ...onBranch, infrastructure: 'runner_lost' }, known), 'Infrastructure: runner lost');
  assert.equal(text({ ...onDefault, infrastructure: 'disk_full' }, known), 'Infrastructure: disk full');
});

test('a failure is flaky when it passes on re-run in at least one of five cases', () => {
  const isFlaky = (passed: number, reruns: number): boolean =>
    text(onBranch, { reruns: { reruns, passed } }).startsWith('Flaky');
  assert.deepEqual([isFlaky(1, 1), isFlaky(1, 5), isFlaky(20, 100)], [true, true, true]);
  assert.deepEqual(
    [isFlaky(0, 0), isFlaky(0, 9), isFlaky(1, 6), isFlaky(19, 100)],
    [false, false, false, false],
  );
  assert.equal(text(onBranch, { reruns: { reruns: 4, passed: 3 } }), 'Flaky: passed on re-run 3 of 4 times');
});

test('a failure that a member marked is known flaky, with the re-runs that are known', () => {
  const marked = { ...onBranch, isMarkedFlaky: true };
  assert.equal(text(marked, { onDefault: { runs: 3, since }, failedBefore: true }), 'Known flaky');
  assert.equal(text(marked, { reruns: { reruns: 5, passed: 1 } }), 'Flaky: passed on re-run 1 of 5 times');
  assert.equal(text({ ...marked, infrastructure: 'timeout' }, {}), 'Infrastructure: timeout');
});

test('a failure of the default branch explains the same failure of a branch', () => {
  const findings = { onDefault: { runs: 3, since }, onBranch: { runs: 1, since }, failedBefore: true };
  assert.equal(text(onBranch, findings), 'Also failing on the default branch since 2026-11-18, 3 runs');
});

test('one failed run of the default branch is enough to explain it', () => {
  const findings = { onDefault: { runs: 1, since }, failedBefore: true };
  assert.equal(text(onBranch, findings), 'Also failing on the default branch since 2026-11-18, 1 run');
});

test('a failure that continues counts the runs of its own branch', () => {
  const findings = { onBranch: { runs: 2, since }, failedBefore: true };
  assert.equal(text(onBranch, findings), 'Failing on feature since 2026-11-18, 2 runs');
  assert.equal(
    text(onDefault, { onDefault: { runs: 1, since }, failedBefore: true }),
    'Failing on main since 2026-11-18, 1 run',
  );
});

test('a branch that succeeded in between has no extent', () => {
  assert.equal(text(onBranch, { failedBefore: true }), 'Failing on feature');
});

test('a long streak is not counted to its end', () => {
  assert.match(text(onDefault, { onDefault: { runs: 200, since }, failedBefore: true }), /200\+ runs$/);
  assert.match(text(onDefault, { onDefault: { runs: 199, since }, failedBefore: true }), /199 runs$/);
});

test('each assessment has exactly the facts of its kind', () => {
  const facts: Record<Assessment['kind'], readonly (keyof Assessment)[]> = {
    infrastructure: ['infrastructure'],
    flaky: ['reruns', 'passedReruns'],
    default_branch: ['since', 'runs', 'otherBranches', 'otherSince'],
    branch: ['branch', 'since', 'runs', 'otherBranches', 'otherSince'],
    other_branches: ['otherBranches', 'otherSince'],
    new_on_branch: [],
  };
  const streak = fc.nat(3).map((runs) => ({ runs, since: runs === 0 ? null : since }));
  const failure = fc.record({
    infrastructure: fc.constantFrom(null, 'timeout' as const),
    branch: fc.constantFrom(null, 'feature'),
    onDefaultBranch: fc.boolean(),
    isMarkedFlaky: fc.boolean(),
  });
  const findings = fc.record({
    reruns: fc.nat(5).chain((reruns) => fc.nat(reruns).map((passed) => ({ reruns, passed }))),
    onDefault: streak,
    onBranch: streak,
    failedBefore: fc.boolean(),
    others: fc.nat(3).map((branches) => ({ branches, since: branches === 0 ? null : since })),
  });
  fc.assert(
    fc.property(failure, findings, (one, found) => {
      const { kind, ...given } = assessmentOf(one, found);
      const set = Object.entries(given).filter(([, value]) => value !== null);
      for (const [name] of set) assert.ok(facts[kind].includes(name as never), `${kind} has ${name}`);
    }),
  );
});
