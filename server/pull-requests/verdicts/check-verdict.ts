import { isFailed } from '#contract/runs/conclusions.ts';
import {
  maxVerdictPulls,
  type CheckVerdict,
  type UnknownReason,
  type VerdictKind,
} from '#contract/failures/check-verdict.ts';
import type { Assessment } from '#contract/failures/failures.ts';

/** What is known about a failed check. */
export interface VerdictFacts {
  assessment: Pick<Assessment, 'kind' | 'infrastructure' | 'reruns' | 'passedReruns'> | null;
  /** The failure group. Null until it is known. */
  group: { isSpecific: boolean; flakyTestId: string | null } | null;
  /** The newest result of the job on the base branch. */
  base: NonNullable<CheckVerdict['base']> | null;
  /** The base branch has a newer commit without a result, which the check may contain. */
  isUntested: boolean;
  /** Other open pull requests with a failure of the group, newest failure first. */
  others: CheckVerdict['pullRequests'];
}

/** Says no more than the facts support. */
export function verdictOf({ assessment, group, base, isUntested, others }: VerdictFacts): CheckVerdict {
  const seen = group === null ? [] : others;
  const isSame = group !== null && base?.isSame === true;
  const evidence = {
    infrastructure: null,
    reruns: null,
    passedReruns: null,
    testId: null,
    base: base && { ...base, isSame },
    others: seen.length,
    pullRequests: seen.slice(0, maxVerdictPulls),
  };
  const is = (kind: Exclude<VerdictKind, 'not_known'>, facts: Partial<CheckVerdict> = {}): CheckVerdict => ({
    ...evidence,
    ...facts,
    kind,
    unknown: null,
  });
  const notKnown = (unknown: UnknownReason): CheckVerdict => ({ ...evidence, kind: 'not_known', unknown });
  if (assessment?.kind === 'infrastructure')
    return is('infrastructure', { infrastructure: assessment.infrastructure });
  if (assessment?.kind === 'flaky') {
    const { reruns, passedReruns } = assessment;
    return is('flaky', { reruns, passedReruns });
  }
  if (group === null) return notKnown('no_reason');
  if (group.flakyTestId !== null) return is('flaky', { testId: group.flakyTestId });
  if (isSame || seen.length > 0) return group.isSpecific ? is('elsewhere') : notKnown('not_specific');
  if (base === null) return notKnown('base_unknown');
  if (isFailed(base.conclusion)) return notKnown('base_failed');
  if (base.conclusion !== 'success') return notKnown('base_unknown');
  return isUntested ? notKnown('base_untested') : is('new_here');
}
