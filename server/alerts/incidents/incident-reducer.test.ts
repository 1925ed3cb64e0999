import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { completion, completionsInAnyOrder, reduce, rule } from '#test/support/alerts/reduce-completions.ts';
import type { Completion, Rule } from '#server/alerts/rules/matching-rules.ts';
import { emptyBranch, reduceCompletion } from './incident-reducer.ts';

const types = (completions: readonly Completion[], rules?: Rule[]): string[] =>
  reduce(completions, rules)
    .effects.map(({ type }) => type)
    .filter((type) => type !== 'suppressed');

/** A run with one or two failed attempts, followed by a success or not. */
const life = fc
  .record({
    jobs: fc.integer({ min: 0, max: 5 }),
    attempts: fc.integer({ min: 1, max: 2 }),
    ends: fc.boolean(),
  })
  .map(({ jobs, attempts, ends }) => {
    const bad = (attempt: number): Completion[] => [
      ...Array.from({ length: jobs }, (_, job) =>
        completion(1, 'failure', { attempt, jobId: 10 * attempt + job, at: attempt * 1000 + job }),
      ),
      completion(1, 'failure', { attempt, at: attempt * 1000 + 500 }),
    ];
    const completions = Array.from({ length: attempts }, (_, index) => bad(index + 1)).flat();
    if (ends) completions.push(completion(1, 'success', { attempt: attempts + 1, at: 9000 }));
    return { completions, ends, jobs: jobs * attempts, attempts };
  });

test('any order and repetition opens at most one incident and counts each completion once', () => {
  const disturbed = life.chain((it) =>
    fc
      .subarray(it.completions)
      .chain((again) =>
        fc.shuffledSubarray([...it.completions, ...again], {
          minLength: it.completions.length + again.length,
        }),
      )
      .map((completions) => ({ ...it, completions })),
  );
  fc.assert(
    fc.property(disturbed, ({ completions, ends, jobs, attempts }) => {
      const { branch, effects } = reduce(completions);
      assert.ok(effects.filter(({ type }) => type === 'opened').length <= 1);
      assert.ok(effects.filter(({ type }) => type === 'notified').length <= 1);
      assert.equal(branch.open !== null, !ends);
      if (branch.open) assert.deepEqual([branch.open.failedJobs, branch.open.failedRuns], [jobs, attempts]);
    }),
    { numRuns: 500 },
  );
});

test('a failure that always counts opens an incident without a rule, and a rule that is made later joins it', () => {
  const branch = emptyBranch();
  const reduceOne = (one: Completion, rules: Rule[], options: object) =>
    reduceCompletion(branch, one, rules, () => 'i', options).map(({ type }) => type);
  const failure = completion(2, 'failure');
  assert.deepEqual(reduceOne(failure, [], {}), []);
  assert.deepEqual(reduceOne(failure, [], { alwaysCounted: true }), ['opened']);
  assert.deepEqual(reduceOne(failure, [], { alwaysCounted: true }), []);
  assert.deepEqual(reduceOne(failure, [rule], { isEarlier: true }), ['notified']);
  assert.deepEqual(reduceOne(completion(3, 'failure'), [], { alwaysCounted: true }), ['counted']);
  assert.deepEqual(reduceOne(completion(4, 'success'), [], {}), ['closed']);
  assert.deepEqual(reduceOne(completion(3, 'failure'), [], { alwaysCounted: true }), []);
});

test('only a success at or after the newest failure closes an incident', () => {
  assert.deepEqual(types([completion(5, 'failure'), completion(4, 'success')]), ['opened', 'notified']);
  assert.deepEqual(types([completion(5, 'failure'), completion(6, 'success')]), [
    'opened',
    'notified',
    'closed',
  ]);
  const rerun = completion(5, 'success', { attempt: 2 });
  assert.deepEqual(types([completion(5, 'failure'), rerun]), ['opened', 'notified', 'closed']);
  assert.deepEqual(types([completion(5, 'failure'), completion(6, 'failure'), rerun]), [
    'opened',
    'notified',
    'counted',
    'shortened',
  ]);
});

test('a late failure that is older than the newest success is ignored', () => {
  assert.deepEqual(types([completion(6, 'success'), completion(5, 'failure')]), []);
});

/** The unresolved failures: no success of the same or a later run, and no later success of the same job. */
function unresolved(completions: readonly Completion[]): Completion[] {
  const place = ({ runId, attempt }: Completion) => runId * 10 + attempt;
  return completions.filter(
    (failure) =>
      failure.conclusion !== 'success' &&
      !completions.some(
        (by) =>
          by.conclusion === 'success' &&
          (by.event === 'run' || by.name === failure.name) &&
          place(by) >= place(failure),
      ),
  );
}

test('an incident is open while a failure is unresolved, in any order', () => {
  fc.assert(
    fc.property(completionsInAnyOrder, (completions) => {
      for (const [index] of completions.entries()) {
        const notified = completions.slice(0, index + 1);
        assert.equal(reduce(notified).branch.open !== null, unresolved(notified).length > 0);
      }
    }),
    { numRuns: 500 },
  );
});

test('an open incident says when the branch broke and counts what failed since, in any order', () => {
  const ofKnownRuns = completionsInAnyOrder.map((all) =>
    all.filter(({ event, conclusion }) => event === 'run' || conclusion !== 'success'),
  );
  fc.assert(
    fc.property(ofKnownRuns, (completions) => {
      const { open } = reduce(completions).branch;
      const keyOf = ({ runId, attempt, jobId }: Completion) => `${runId}/${attempt}/${jobId}`;
      const failures = [...new Map(unresolved(completions).map((each) => [keyOf(each), each])).values()];
      if (open === null) return assert.deepEqual(failures, []);
      const ofRuns = failures.filter(({ event }) => event === 'run');
      assert.deepEqual(
        [open.first.at, open.last.at, open.failedRuns, open.failedJobs],
        [
          Math.min(...failures.map(({ at }) => at)),
          Math.max(...failures.map(({ at }) => at)),
          ofRuns.length,
          failures.length - ofRuns.length,
        ],
      );
    }),
    { numRuns: 500 },
  );
});

test('a later success of the same job resolves its failure when runs are unknown', () => {
  const failed = [
    completion(5, 'failure', { jobId: 1, name: 'build' }),
    completion(5, 'failure', { jobId: 2, name: 'test' }),
  ];
  const passed = (runId: number, name: string, attempt = 1) =>
    completion(runId, 'success', { jobId: 9, name, attempt });
  const open = ['opened', 'notified', 'counted'];
  assert.deepEqual(types([...failed, passed(6, 'build')]), open);
  assert.deepEqual(types([...failed, passed(6, 'lint'), passed(6, 'test')]), open);
  assert.deepEqual(types([...failed, passed(5, 'test', 2), passed(6, 'build')]), [...open, 'closed']);
  // A job of the same name in the same attempt resolves nothing.
  assert.deepEqual(types([failed[0]!, passed(5, 'build')]), ['opened', 'notified']);
  const { effects } = reduce([...failed, passed(6, 'build'), passed(7, 'test')]);
  const end = effects.find((effect) => effect.type === 'closed');
  assert.deepEqual([end?.redMs, end?.by.runId], [120_000, 7]);
});

test('an incident starts with the earliest failure in any order of arrival', () => {
  const ends = [20, 10, 30, 15].map((at, index) => completion(5, 'failure', { jobId: index + 1, at }));
  const { branch, effects } = reduce([...ends, completion(6, 'success', { at: 40 })]);
  const end = effects.find((effect) => effect.type === 'closed');
  assert.deepEqual([end?.incident.first.at, end?.incident.last.at, end?.redMs], [10, 30, 30]);
  assert.equal(branch.open, null);
});
