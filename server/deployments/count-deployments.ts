/** A deployment that ended. Its place is what one commit at a time is deployed to. */
export interface Ended {
  key: string;
  repository: string;
  /** Of the place: either an environment, or a workflow, or one of its jobs. */
  environment: string | null;
  workflow: string | null;
  job: string | null;
  sha: string;
  ref: string | null;
  /** Milliseconds since the epoch. */
  at: number;
  creator: string | null;
  runId: number | null;
  attempt: number | null;
  url: string | null;
  /** False: it failed to deploy. */
  isDeployed: boolean;
}

/** A successful deployment that counts. */
export interface Deployed extends Ended {
  /** The commit was deployed to this place before. */
  isRepeated: boolean;
  /** It is older than the one that it replaces. */
  isRollback: boolean;
  /** The newest commit that was deployed before. Null for the first one. */
  base: string | null;
  /** What replaced it. */
  next: Deployed | null;
}

const placeOf = ({ repository, environment, workflow, job }: Ended): string =>
  JSON.stringify([repository, environment, workflow, job]);

/** The order of time, which is the same for equal times. */
export const byTime = (one: Ended, other: Ended): number =>
  one.at - other.at || (one.key < other.key ? -1 : one.key > other.key ? 1 : 0);

/** Whether the forge says that a commit is contained in another one. */
export type IsContained = (repository: string, sha: string, inSha: string) => boolean;

/**
 * Of the successful deployments, one for each commit and place until another commit follows: a re-run deploys the same commit again. In
 * the order of time. A commit that the newest one contains is older than that one. Otherwise the commit that was deployed first is the older one.
 */
export function countDeployed(ended: readonly Ended[], isContained: IsContained): Deployed[] {
  const succeeded = ended.filter(({ isDeployed }) => isDeployed).toSorted(byTime);
  return [...Map.groupBy(succeeded, placeOf).values()]
    .flatMap((each) => countInPlace(each, isContained))
    .toSorted(byTime);
}

function countInPlace(succeeded: readonly Ended[], isContained: IsContained): Deployed[] {
  const counted: Deployed[] = [];
  /** The oldest first. */
  const shas: string[] = [];
  for (const each of succeeded) {
    const before = counted.at(-1);
    if (before?.sha === each.sha) continue;
    const base = shas.at(-1) ?? null;
    const isRepeated = shas.includes(each.sha);
    const isOlder = base !== null && isContained(each.repository, each.sha, base);
    if (!isRepeated) shas.splice(isOlder ? -1 : shas.length, 0, each.sha);
    const deployed: Deployed = {
      ...each,
      isRepeated,
      isRollback: before !== undefined && shas.indexOf(each.sha) < shas.indexOf(before.sha),
      base,
      next: null,
    };
    if (before !== undefined) before.next = deployed;
    counted.push(deployed);
  }
  return counted;
}
