/** The same as `mergeGroupOf` in contract/runs/merge-group.ts. */
const mergeGroup = '^(gh-readonly-queue/.+/pr-[0-9]+-)[0-9a-f]{7,64}$';

/** SQL: whether a run is of a merge group, and thus of its pull request. A fork may name its branch as it likes. */
export const isOfMergeGroup = (run: string): string =>
  `coalesce(${run}.head_branch ~ '${mergeGroup}' and coalesce(${run}.head_repository, ${run}.repository) = ${run}.repository, false)`;

/** SQL: the branch of a run. All merge groups of a pull request count as one: the queue tests it again on another branch. */
export const branchOfRun = (run: string): string =>
  `regexp_replace(${run}.head_branch, '${mergeGroup}', '\\1')`;
