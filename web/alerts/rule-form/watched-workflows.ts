import { looksAt } from '#contract/alerts/glob.ts';
import type { KnownWorkflow } from '#contract/alerts/known-workflows.ts';
import { patternsOf } from '../pattern-text.ts';
import type { RuleDraft } from './rule-draft.ts';

export type PlacePatterns = Pick<
  RuleDraft,
  'repositories' | 'workflows' | 'branches' | 'defaultBranchOnly' | 'watch' | 'failureGroups'
>;

/**
 * The known workflows that match the patterns, each with its matching branches. A rule about new failures of the default branch matches no
 * other one.
 */
export function watchedWorkflows(known: readonly KnownWorkflow[], patterns: PlacePatterns): KnownWorkflow[] {
  const rule = {
    repositories: patternsOf(patterns.repositories),
    workflows: patternsOf(patterns.workflows),
    branches: patternsOf(patterns.branches),
    defaultBranchOnly: patterns.defaultBranchOnly,
  };
  const isOnDefaultOnly = patterns.watch === 'failure' && patterns.failureGroups === 'new_on_default_branch';
  return known.flatMap(({ repository, workflow, branches, defaultBranches }) => {
    const watched = (isOnDefaultOnly ? defaultBranches : branches).filter((branch) =>
      looksAt(rule, {
        repository,
        workflow,
        branch,
        onDefaultBranch: defaultBranches.includes(branch),
      }),
    );
    return watched.length === 0 ? [] : [{ repository, workflow, branches: watched, defaultBranches }];
  });
}
