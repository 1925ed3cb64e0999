import * as fc from 'fast-check';
import {
  emptyBranch,
  reduceCompletion,
  type BranchState,
  type Effect,
} from '#server/alerts/incidents/incident-reducer.ts';
import type { Completion, Rule } from '#server/alerts/rules/matching-rules.ts';
import { ruleBody } from './rule-body.ts';

export const rule: Rule = { ...ruleBody(), ruleId: 'one' };

/** Of the workflow CI on main, a minute for each run ID. */
export function completion(runId: number, conclusion: string, more: Partial<Completion> = {}): Completion {
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

/** What the completions lead to, in this order. */
export function reduce(
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

/** Completions of runs, and of jobs of unknown runs, some of them repeated. */
export const completionsInAnyOrder = fc
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
