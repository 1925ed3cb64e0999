import { makeBreaks } from '#platform/runtime/tasks/breaks.ts';
import { branchKey } from '#server/alerts/branches/branch-keys.ts';
import {
  emptyBranch,
  reduceCompletion,
  type BranchState,
  type Effect,
} from '#server/alerts/incidents/incident-reducer.ts';
import type { Completion, Rule, RuleFilter } from '../matching-rules.ts';

export interface Replayed {
  effects: Effect[];
  branches: BranchState[];
}

/**
 * Evaluates a rule on completions in the order of their end, as if it had always been the only one. Pure; uses the same reducer as live
 * evaluation.
 */
export async function replay(completions: readonly Completion[], filter: RuleFilter): Promise<Replayed> {
  const rule: Rule = { ...filter, ruleId: 'tested' };
  const branches = new Map<string, BranchState>();
  let nextId = 0;
  const effects: Effect[] = [];
  const takeBreaks = makeBreaks();
  for (const completion of completions) {
    await takeBreaks();
    const key = branchKey(completion).toString('hex');
    const branch = branches.get(key) ?? emptyBranch();
    branches.set(key, branch);
    effects.push(...reduceCompletion(branch, completion, [rule], () => String(nextId++)));
  }
  return { effects, branches: [...branches.values()] };
}
