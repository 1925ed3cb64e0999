import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { ruleBody } from '#test/support/alerts/rule-body.ts';
import { emptyBranch, reduceCompletion, type BranchState, type Effect } from './incident-reducer.ts';
import type { Completion, Rule } from '#server/alerts/rules/matching-rules.ts';

const rule: Rule = { ...ruleBody(), ruleId: 'one' };

function completion(runId: number, conclusion: string, more: Partial<Completion> = {}): Completion {
  return {
    event: more.jobId === undefined ? 'run' : 'job',
    runId,
    attempt: 1,
    jobId: null,
    repository: 'acme/site',
    workflow: 'CI',
    branch: 'main',
    conclusion,
    actor: 'ann',
    name: 'build',
    url: null,
    at: runId * 60_000,
    ...more,
  };
}

function fold(
  completions: readonly Completion[],
  rules = [rule],
): { branch: BranchState; effects: Effect[] } {
  const branch = emptyBranch();
  let id = 0;
  return {
    branch,
    effects: completions.flatMap((one) => reduceCompletion(branch, one, rules, () => String(id++))),
  };
}

const types = (completions: readonly Completion[], rules?: Rule[]): string[] =>
  fold(completions, rules)
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
      const { branch, effects } = fold(completions);
      assert.ok(effects.filter(({ type }) => type === 'opened').length <= 1);
      assert.ok(effects.filter(({ type }) => type === 'notified').length <= 1);
      assert.equal(branch.open !== null, !ends);
      if (branch.open) assert.deepEqual([branch.open.failedJobs, branch.open.failedRuns], [jobs, attempts]);
    }),
    { numRuns: 500 },
  );
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
  ]);
});

test('a late failure that is older than the newest success is ignored', () => {
  assert.deepEqual(types([completion(6, 'success'), completion(5, 'failure')]), []);
});

/** Completions of runs, and of jobs of unknown runs. */
const ends = fc
  .uniqueArray(
    fc.record({
      runId: fc.integer({ min: 1, max: 4 }),
      attempt: fc.integer({ min: 1, max: 2 }),
      name: fc.constantFrom(null, 'build', 'test'),
      conclusion: fc.constantFrom('failure', 'success'),
    }),
    { selector: ({ runId, attempt, name }) => `${runId}/${attempt}/${name}`, maxLength: 16 },
  )
  .map((all) =>
    all.map(({ runId, attempt, name, conclusion }) =>
      completion(runId, conclusion, { attempt, name, ...(name === null ? {} : { jobId: name.length }) }),
    ),
  )
  .chain((all) =>
    fc
      .subarray(all)
      .chain((again) => fc.shuffledSubarray([...all, ...again], { minLength: all.length + again.length })),
  );

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
    fc.property(ends, (completions) => {
      for (const [index] of completions.entries()) {
        const notified = completions.slice(0, index + 1);
        assert.equal(fold(notified).branch.open !== null, unresolved(notified).length > 0);
      }
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
  const { effects } = fold([...failed, passed(6, 'build'), passed(7, 'test')]);
  const end = effects.find((effect) => effect.type === 'closed');
  assert.deepEqual([end?.redMs, end?.by.runId], [120_000, 7]);
});

test('a recovery notifies the rules that notified about the incident', () => {
  const silent = { ...rule, ruleId: 'silent', notifyOnRecovery: false };
  const other = { ...rule, ruleId: 'other', branches: { include: ['topic'], exclude: [] } };
  const { effects } = fold([completion(5, 'failure'), completion(7, 'success')], [rule, silent, other]);
  const end = effects.find((effect) => effect.type === 'closed');
  assert.equal(end?.redMs, 120_000);
  assert.deepEqual(
    end.recovered.map(({ ruleId }) => ruleId),
    ['one'],
  );
});

test('an incident starts with the earliest failure in any order of arrival', () => {
  const ends = [20, 10, 30, 15].map((at, index) => completion(5, 'failure', { jobId: index + 1, at }));
  const { branch, effects } = fold([...ends, completion(6, 'success', { at: 40 })]);
  const end = effects.find((effect) => effect.type === 'closed');
  assert.deepEqual([end?.incident.first.at, end?.incident.last.at, end?.redMs], [10, 30, 30]);
  assert.equal(branch.open, null);
});

test('a cooldown delays the next notification and suppresses it after a recovery', () => {
  const calm = { ...rule, cooldownMinutes: 10 };
  const flapping = [1, 2, 3, 4, 5, 13, 14, 22, 24, 25].map((run) =>
    completion(run, [2, 4, 14, 25].includes(run) ? 'success' : 'failure'),
  );
  const { effects } = fold(flapping, [calm]);
  assert.deepEqual(
    effects.flatMap((effect) =>
      effect.type === 'notified'
        ? [
            `${effect.completion.runId} notified at ${effect.waitsUntil === null ? 'once' : effect.waitsUntil / 60_000}`,
          ]
        : effect.type === 'closed'
          ? [`${effect.by.runId} ends ${effect.recovered.length}, suppressed ${effect.suppressed.length}`]
          : [],
    ),
    [
      '1 notified at once',
      '2 ends 1, suppressed 0',
      '3 notified at 11',
      '4 ends 0, suppressed 1',
      // The cooldown starts at the first notification: the second was suppressed.
      '5 notified at 11',
      '14 ends 1, suppressed 0',
      '22 notified at once',
      '25 ends 1, suppressed 0',
    ],
  );
});

const every: Rule = { ...rule, notify: 'every_failure' };

/** The notified failures: run ids, with the minute until which the notification waits. */
const notifications = (completions: readonly Completion[], one: Rule): string[] =>
  fold(completions, [one]).effects.flatMap((effect) => {
    if (effect.type === 'closed') return [`closed ${effect.recovered.length}/${effect.suppressed.length}`];
    if (effect.type !== 'notified') return [];
    const wait = effect.waitsUntil === null ? '' : ` at ${effect.waitsUntil / 60_000}`;
    return [`${effect.isRepeat ? 'again' : 'first'} ${effect.completion.runId}${wait}`];
  });

test('a rule with every_failure notifies about each failure, one with incident about the first', () => {
  const failures = [1, 2, 3].map((run) => completion(run, 'failure'));
  const all = [...failures, failures[1]!, completion(4, 'success'), completion(5, 'failure')];
  assert.deepEqual(notifications(all, rule), ['first 1', 'closed 1/0', 'first 5']);
  assert.deepEqual(notifications(all, every), ['first 1', 'again 2', 'again 3', 'closed 1/0', 'first 5']);
});

test('a cooldown limits a rule with every_failure to one waiting notification', () => {
  const calm = { ...every, cooldownMinutes: 10 };
  const failures = [1, 2, 3, 12, 13].map((run) => completion(run, 'failure'));
  assert.deepEqual(notifications([...failures, completion(30, 'success')], calm), [
    'first 1',
    'again 2 at 11',
    'again 12 at 21',
    'closed 1/0',
  ]);
  // The waiting notification is suppressed; the recovery is notified.
  assert.deepEqual(notifications([...failures.slice(0, 2), completion(5, 'success')], calm), [
    'first 1',
    'again 2 at 11',
    'closed 1/1',
  ]);
});

test('a rule with every_failure notifies once about each counted failure, in any order', () => {
  fc.assert(
    fc.property(ends, (completions) => {
      const { effects } = fold(completions, [every]);
      const counted = effects.filter(({ type }) => type === 'opened' || type === 'counted').length;
      const notified = effects.filter((effect) => effect.type === 'notified');
      assert.equal(notified.length, counted);
      assert.ok(notified.every(({ waitsUntil }) => waitsUntil === null));
      const [firsts, opened] = [
        notified.filter(({ isRepeat }) => !isRepeat).length,
        effects.filter(({ type }) => type === 'opened').length,
      ];
      assert.equal(firsts, opened);
      // Each matching failure is either notified or suppressed.
      const failures = completions.filter(({ conclusion }) => conclusion !== 'success').length;
      const suppressed = effects.filter(({ type }) => type === 'suppressed').length;
      assert.equal(notified.length + suppressed, failures);
    }),
    { numRuns: 500 },
  );
});
