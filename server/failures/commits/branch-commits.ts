/**
 * The SHAs of the commits that a branch itself was at: from its newest commit on, each first parent. The others came with a merge.
 * `commits` are oldest first.
 */
export function branchShas(
  commits: readonly { sha: string; parents: readonly string[] }[],
  head: string,
): ReadonlySet<string> {
  const bySha = new Map(commits.map((commit) => [commit.sha, commit]));
  const found = new Set<string>();
  let next = bySha.get(head) ?? commits.at(-1);
  while (next !== undefined && !found.has(next.sha)) {
    found.add(next.sha);
    next = bySha.get(next.parents[0] ?? '');
  }
  return found;
}
