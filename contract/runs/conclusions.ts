/** What a conclusion means. Lists, figures, filters, badges, traces and texts all follow these sets. */

/** All conclusions that forges document, of runs, jobs and steps. */
export const conclusions = [
  'success',
  'failure',
  'timed_out',
  'startup_failure',
  'action_required',
  'cancelled',
  'skipped',
  'neutral',
  'stale',
] as const;
export type Conclusion = (typeof conclusions)[number];

/** It was tried and did not succeed. These have a failure reason, and are errors in traces and mails. */
export const failedConclusions = [
  'failure',
  'timed_out',
  'startup_failure',
] as const satisfies readonly Conclusion[];

/** The workflow is broken: failed, or waits for a person. These count as failed in figures. */
export const redConclusions = [
  ...failedConclusions,
  'action_required',
] as const satisfies readonly Conclusion[];

/** Green or red. The newest of these is the state of a workflow; all others say nothing about the code. */
export const decidedConclusions = ['success', ...redConclusions] as const satisfies readonly Conclusion[];

/** A person or the forge ended it before it had a result, so its duration says nothing either. */
export const withoutResultConclusions = ['cancelled', 'skipped'] as const satisfies readonly Conclusion[];

/** No job began, so the run left nothing behind. */
export const neverStartedConclusions = [
  'skipped',
  'startup_failure',
  'action_required',
] as const satisfies readonly Conclusion[];

/** What a rule about failures can match. A run that a newer one took the place of is superseded for rules, and cancelled everywhere else. */
export const ruleConclusions = [
  ...redConclusions,
  'cancelled',
  'superseded',
  'stale',
] as const satisfies readonly (Conclusion | 'superseded')[];

export type RuleConclusion = (typeof ruleConclusions)[number];

const pushEvents: readonly (string | null)[] = ['push', 'pull_request', 'pull_request_target'];

/** Why a run with this event that has `supersededBy` was cancelled. */
export function supersededText(event: string | null): string {
  return pushEvents.includes(event) ? 'superseded by a newer push' : 'superseded by a newer run';
}

type Member<Set extends readonly Conclusion[]> = Set[number];

const has = (set: readonly string[], conclusion: string | null): boolean =>
  conclusion !== null && set.includes(conclusion);

export function isFailed(conclusion: string | null): conclusion is Member<typeof failedConclusions> {
  return has(failedConclusions, conclusion);
}

export function isRed(conclusion: string | null): conclusion is Member<typeof redConclusions> {
  return has(redConclusions, conclusion);
}

export function isDecided(conclusion: string | null): conclusion is Member<typeof decidedConclusions> {
  return has(decidedConclusions, conclusion);
}

export function isRuleConclusion(conclusion: string | null): conclusion is RuleConclusion {
  return has(ruleConclusions, conclusion);
}

export function isWithoutResult(
  conclusion: string | null,
): conclusion is Member<typeof withoutResultConclusions> {
  return has(withoutResultConclusions, conclusion);
}

export function isNeverStarted(
  conclusion: string | null,
): conclusion is Member<typeof neverStartedConclusions> {
  return has(neverStartedConclusions, conclusion);
}
