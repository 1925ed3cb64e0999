import { createHash } from 'node:crypto';
import { endsTogether } from '#contract/runs/merge-group.ts';
import type { Completion } from '#server/alerts/rules/matching-rules.ts';

/** The key of an incident: one workflow on one branch of one repository. */
export function branchKey({ repository, workflow, branch }: BranchName): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([repository, workflow, branch]))
    .digest();
}

/** The key of a branch in all workflows, and of all merge queues of a pull request. */
export function placeKey({ repository, branch }: Omit<BranchName, 'workflow'>): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([repository, endsTogether(branch)]))
    .digest();
}

/** The key of a job name in all runs of one workflow on one branch. */
export function jobKey({ repository, workflow, branch, name }: JobName): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([repository, workflow, branch, name]))
    .digest();
}

export type JobName = BranchName & Pick<Completion, 'name'>;

export type BranchName = Pick<Completion, 'repository' | 'workflow' | 'branch'>;
