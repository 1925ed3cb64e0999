import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { failedChecksText, verdictText, type VerdictKind } from '#contract/failures/check-verdict.ts';
import { decidedConclusions, isFailed } from '#contract/runs/conclusions.ts';
import { verdictOf, type VerdictFacts } from './check-verdict.ts';

const kinds = ['infrastructure', 'flaky', 'default_branch', 'branch', 'new_on_branch'] as const;
const facts: fc.Arbitrary<VerdictFacts> = fc.record({
  assessment: fc.option(
    fc.record({
      kind: fc.constantFrom(...kinds),
      infrastructure: fc.constantFrom(null, 'disk_full' as const),
      reruns: fc.constantFrom(null, 0, 4),
      passedReruns: fc.constantFrom(null, 0, 1),
    }),
  ),
  group: fc.option(fc.record({ isSpecific: fc.boolean(), flakyTestId: fc.constantFrom(null, 'a-test') })),
  base: fc.option(
    fc.record({
      branch: fc.constantFrom(null, 'main'),
      runId: fc.nat(),
      conclusion: fc.constantFrom(...decidedConclusions),
      at: fc.constant(null),
      isSame: fc.boolean(),
    }),
  ),
  isUntested: fc.boolean(),
  others: fc.array(fc.record({ number: fc.nat(), runId: fc.nat() }), { maxLength: 8 }),
});

test('a verdict claims only what its facts support, and shows them', () => {
  fc.assert(
    fc.property(facts, (given) => {
      const { assessment, group, base, isUntested, others } = given;
      const { kind, ...verdict } = verdictOf(given);
      const isSeen = group !== null && (base?.isSame === true || others.length > 0);
      assert.equal(verdict.others, group === null ? 0 : others.length);
      assert.deepEqual(verdict.pullRequests, group === null ? [] : others.slice(0, 5));
      assert.equal(verdict.base?.runId, base?.runId);
      assert.equal(verdict.base?.isSame ?? false, group !== null && base?.isSame === true);
      assert.equal(verdict.unknown === null, kind !== 'not_known');
      const isExcused = assessment?.kind === 'infrastructure' || assessment?.kind === 'flaky';
      const isTestFlaky = group !== null && group.flakyTestId !== null;
      assert.equal(kind === 'infrastructure', assessment?.kind === 'infrastructure');
      assert.equal(
        kind === 'flaky',
        assessment?.kind !== 'infrastructure' && (assessment?.kind === 'flaky' || isTestFlaky),
      );
      const isOpen = !isExcused && !isTestFlaky && group !== null;
      assert.equal(kind === 'elsewhere', isOpen && isSeen && group.isSpecific);
      assert.equal(kind === 'new_here', isOpen && !isSeen && !isUntested && base?.conclusion === 'success');
      assert.equal(
        verdict.unknown === 'base_failed',
        isOpen && !isSeen && base !== null && isFailed(base.conclusion),
      );
      const text = verdictText({ kind, ...verdict });
      assert.match(text, /^[A-Z][^{}]+$/);
      assert.doesNotMatch(text, /null|undefined| {2}|[ ,:]$/);
    }),
  );
});

test('the failed checks of a pull request are counted by verdict, the new ones first', () => {
  const nothing: VerdictFacts = { assessment: null, group: null, base: null, isUntested: false, others: [] };
  const failed = (kind: VerdictKind) => ({
    verdict: { ...verdictOf(nothing), kind },
    jobs: [],
  });
  const run = { verdict: null, jobs: [failed('flaky'), failed('new_here'), { verdict: null }] };
  assert.equal(failedChecksText([failed('flaky'), run]), '3 checks failed: 1 new here, 2 flaky');
  assert.equal(failedChecksText([failed('elsewhere')]), '1 check failed: also fails elsewhere');
  assert.equal(failedChecksText([{ verdict: null, jobs: [] }]), null);
});
