/** A run of a merge queue, which tests a pull request together with those before it. */
interface MergeGroup {
  base: string;
  pullRequest: number;
}

/** GitHub names the branch of a merge group `gh-readonly-queue/BASE/pr-NUMBER-SHA`. */
const mergeGroupBranch = /^gh-readonly-queue\/(.{1,200})\/pr-(\d{1,15})-[0-9a-f]{7,64}$/;

/** Undefined for any other branch. */
export function mergeGroupOf(branch: string | null): MergeGroup | undefined {
  const [, base, number] = (branch !== null && mergeGroupBranch.exec(branch)) || [];
  return base === undefined ? undefined : { base, pullRequest: Number(number) };
}

/** Stands for the branch of a merge group: the pull request and its base stay the same when the queue tests it again. */
export function mergeQueueName({ base, pullRequest }: MergeGroup): string {
  return `${mergeQueuesOf(pullRequest)} into ${base}`;
}

/** How the names of all merge queues of a pull request begin: its base branch may have been changed. */
export const mergeQueuesOf = (pullRequest: number): string => `merge queue of #${pullRequest}`;

const mergeQueue = /^(merge queue of #\d+) into /;

/** The same for the merge queues of a pull request into all branches. */
export function endsTogether(branch: string | null): string | null {
  return mergeQueue.exec(branch ?? '')?.[1] ?? branch;
}

/** No branch can have such a name, because git allows no spaces in it. */
export function isMergeQueue(branch: string | null): boolean {
  return branch !== null && mergeQueue.test(branch);
}

/**
 * What a branch is called and told from others by: `owner:branch` for a branch of a fork, `fork:branch` when the forge does not name it,
 * and the pull request for the branch of a merge group.
 */
export function branchOf(
  branch: string | null,
  headRepository: string | null,
  repository: string,
): string | null {
  if (headRepository === null || headRepository === repository) {
    const mergeGroup = mergeGroupOf(branch);
    return mergeGroup === undefined ? branch : mergeQueueName(mergeGroup);
  }
  if (branch === null) return null;
  return `${headRepository.split('/')[0] ?? ''}:${branch}`;
}
