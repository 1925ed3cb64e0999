import { Type, type Static } from 'typebox';
import { nullable, Time, Uuid } from '../base/schema.ts';
import { FailureReason } from './failure-reason.ts';
import { faults } from './assessment-text.ts';

/**
 * What a failed check of an open pull request means, the first that applies:
 * - `infrastructure`: the machine failed, not the code.
 * - `flaky`: the job often passes when it is re-run, a member marked the failure as known flaky, or its only failed test is flaky.
 * - `elsewhere`: the base branch or another open pull request has the same failure.
 * - `new_here`: the job passes on the base branch, and no other open pull request has the failure.
 * - `not_known`: `unknown` says why.
 */
const verdictKinds = ['infrastructure', 'flaky', 'elsewhere', 'new_here', 'not_known'] as const;
export type VerdictKind = (typeof verdictKinds)[number];

/**
 * - `no_reason`: the cause of the failure is not known yet, or no failed job was reported.
 * - `not_specific`: the error names nothing, so that other failures may look the same.
 * - `base_failed`: the job fails on the base branch as well, with another error.
 * - `base_untested`: the base branch has changed since its newest result, and the next one is not there.
 * - `base_unknown`: the job has no result on the base branch.
 */
const unknownReasons = ['no_reason', 'not_specific', 'base_failed', 'base_untested', 'base_unknown'] as const;
export type UnknownReason = (typeof unknownReasons)[number];

/** Pull requests of a verdict that are named. */
export const maxVerdictPulls = 5;

export const CheckVerdict = Type.Object({
  kind: Type.Enum([...verdictKinds]),
  unknown: nullable(Type.Enum([...unknownReasons])),
  infrastructure: FailureReason.properties.infrastructure,
  reruns: nullable(Type.Integer()),
  passedReruns: nullable(Type.Integer()),
  /** The flaky test. */
  testId: nullable(Uuid),
  /** The newest result of the job on the base branch. Null when there is none. */
  base: nullable(
    Type.Object({
      branch: nullable(Type.String()),
      runId: Type.Integer(),
      conclusion: Type.String(),
      at: nullable(Time),
      /** It is the same failure. */
      isSame: Type.Boolean(),
    }),
  ),
  /** Other open pull requests whose newest commit has the same failure. */
  others: Type.Integer(),
  /** Those whose failure is newest, at most `maxVerdictPulls`. */
  pullRequests: Type.Array(Type.Object({ number: Type.Integer(), runId: Type.Integer() })),
});
export type CheckVerdict = Static<typeof CheckVerdict>;

/** The verdict as one line. */
export function verdictText(verdict: CheckVerdict): string {
  const { kind, unknown, infrastructure, reruns, passedReruns, testId, base } = verdict;
  switch (kind) {
    case 'infrastructure':
      return `Infrastructure: ${infrastructure === null ? 'machine failed' : faults[infrastructure]}`;
    case 'flaky':
      if (testId !== null) return 'Flaky test';
      return reruns ? `Flaky: passed on re-run ${passedReruns ?? 0} of ${reruns} times` : 'Known flaky';
    case 'elsewhere':
      return `Also fails ${placesText(verdict)}`;
    case 'new_here':
      return `New here: passes on ${base?.branch ?? 'the base branch'}`;
    case 'not_known':
      return `Not known: ${unknownText(unknown, verdict)}`;
  }
}

function placesText({ base, others }: CheckVerdict): string {
  const pulls = others === 0 ? [] : [`in ${others} other pull request${others === 1 ? '' : 's'}`];
  return [...(base?.isSame === true ? [`on ${base.branch ?? 'the base branch'}`] : []), ...pulls].join(
    ' and ',
  );
}

function unknownText(unknown: UnknownReason | null, verdict: CheckVerdict): string {
  const base = verdict.base?.branch ?? 'the base branch';
  switch (unknown) {
    case 'not_specific':
      return `a failure without details looks the same ${placesText(verdict)}`;
    case 'base_failed':
      return `${base} fails with another error`;
    case 'base_untested':
      return `${base} has changed and has no result yet`;
    case 'base_unknown':
      return 'the job has no result on the base branch';
    default:
      return 'the cause is not known';
  }
}

interface JudgedCheck {
  verdict: CheckVerdict | null;
  jobs: readonly Pick<JudgedCheck, 'verdict'>[];
}

/** How the failed checks divide: "2 checks failed: 1 new here, 1 also fails elsewhere". Null when none has a verdict. */
export function failedChecksText(checks: readonly JudgedCheck[]): string | null {
  const kinds = checks
    .flatMap((check) => [check, ...check.jobs])
    .flatMap(({ verdict }) => verdict?.kind ?? []);
  if (kinds.length === 0) return null;
  const isOne = kinds.length === 1;
  const parts = shownFirst.flatMap((kind) => {
    const count = kinds.filter((each) => each === kind).length;
    return count === 0 ? [] : [isOne ? kindTexts[kind] : `${count} ${kindTexts[kind]}`];
  });
  return `${kinds.length} ${isOne ? 'check' : 'checks'} failed: ${parts.join(', ')}`;
}

const shownFirst: readonly VerdictKind[] = ['new_here', 'elsewhere', 'flaky', 'infrastructure', 'not_known'];
const kindTexts: Record<VerdictKind, string> = {
  new_here: 'new here',
  elsewhere: 'also fails elsewhere',
  flaky: 'flaky',
  infrastructure: 'infrastructure',
  not_known: 'not known',
};
