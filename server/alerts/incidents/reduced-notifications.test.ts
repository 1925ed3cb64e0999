import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { completion, completionsInAnyOrder, reduce, rule } from '#test/support/alerts/reduce-completions.ts';
import type { Completion, Rule } from '#server/alerts/rules/matching-rules.ts';

test('a recovery notifies the rules that notified about the incident', () => {
  const silent = { ...rule, ruleId: 'silent', notifyOnRecovery: false };
  const other = { ...rule, ruleId: 'other', branches: { include: ['topic'], exclude: [] } };
  const { effects } = reduce([completion(5, 'failure'), completion(7, 'success')], [rule, silent, other]);
  const end = effects.find((effect) => effect.type === 'closed');
  assert.equal(end?.redMs, 120_000);
  assert.deepEqual(
    end.recovered.map(({ ruleId }) => ruleId),
    ['one'],
  );
});

test('a cooldown delays the next notification and suppresses it after a recovery', () => {
  const calm = { ...rule, cooldownMinutes: 10 };
  const flapping = [1, 2, 3, 4, 5, 13, 14, 22, 24, 25].map((run) =>
    completion(run, [2, 4, 14, 25].includes(run) ? 'success' : 'failure'),
  );
  const { effects } = reduce(flapping, [calm]);
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
  reduce(completions, [one]).effects.flatMap((effect) => {
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
    fc.property(completionsInAnyOrder, (completions) => {
      const { effects } = reduce(completions, [every]);
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
