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

/**
 * Of the successful deployments, one for each commit and place until another commit follows: a re-run deploys the same commit again. In
 * the order of time. Which of two commits is older is told by which was deployed first.
 */
export function countDeployed(ended: readonly Ended[]): Deployed[] {
  const succeeded = ended.filter(({ isDeployed }) => isDeployed).toSorted(byTime);
  return [...Map.groupBy(succeeded, placeOf).values()].flatMap(countInPlace).toSorted(byTime);
}

function countInPlace(succeeded: readonly Ended[]): Deployed[] {
  const counted: Deployed[] = [];
  /** The commits in the order in which they were deployed first. */
  const shas: string[] = [];
  for (const each of succeeded) {
    const before = counted.at(-1);
    if (before?.sha === each.sha) continue;
    const rank = shas.indexOf(each.sha);
    const deployed: Deployed = {
      ...each,
      isRepeated: rank >= 0,
      isRollback: rank >= 0 && before !== undefined && rank < shas.indexOf(before.sha),
      base: shas.at(-1) ?? null,
      next: null,
    };
    if (before !== undefined) before.next = deployed;
    if (rank < 0) shas.push(each.sha);
    counted.push(deployed);
  }
  return counted;
}
