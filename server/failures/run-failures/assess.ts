import type { Assessment } from '#contract/failures/failures.ts';
import type { Tx } from '#platform/database/database.ts';
import {
  countOtherBranches,
  countReruns,
  countStreak,
  failedBefore,
  type GroupOnBranch,
  type OtherBranches,
} from '../groups/streak-store.ts';

/** A failure to assess. */
export interface AssessedFailure extends GroupOnBranch {
  runId: number;
  onDefaultBranch: boolean;
  infrastructure: Assessment['infrastructure'];
  /** A member marked the group as known flaky. */
  isMarkedFlaky: boolean;
}

export interface Findings {
  reruns: { reruns: number; passed: number };
  onDefault: { runs: number; since: Date | null };
  onBranch: { runs: number; since: Date | null };
  failedBefore: boolean;
  others: OtherBranches;
}

/** A job is flaky when it passes on re-run in at least one of this many cases. */
const flakyCases = 5;

/** Takes a bounded number of index reads, whatever the number of failures. */
export async function assess(tx: Tx, failure: AssessedFailure): Promise<Assessment> {
  const { integrationId, groupId, branch, onDefaultBranch, runId, failedAt } = failure;
  const none = { runs: 0, since: null };
  const isOther = branch !== null && !onDefaultBranch;
  const [reruns, onDefault, onBranch, hasFailed, others] = await Promise.all([
    countReruns(tx, integrationId, failure),
    countStreak(tx, { ...failure, branch: null }),
    isOther ? countStreak(tx, failure) : none,
    branch === null ? false : failedBefore(tx, { integrationId, groupId, branch }, runId, failedAt),
    countOtherBranches(tx, integrationId, failure),
  ]);
  return assessmentOf(failure, { reruns, onDefault, onBranch, failedBefore: hasFailed, others });
}

/** The first that applies: infrastructure, flaky, default branch, known on the branch, known on others, new. */
export function assessmentOf(
  {
    infrastructure,
    branch,
    onDefaultBranch,
    isMarkedFlaky,
  }: Pick<AssessedFailure, 'infrastructure' | 'branch' | 'onDefaultBranch' | 'isMarkedFlaky'>,
  { reruns: { reruns, passed }, onDefault, onBranch, failedBefore, others }: Findings,
): Assessment {
  const nothing: Assessment = {
    kind: 'new_on_branch',
    infrastructure: null,
    branch: null,
    since: null,
    runs: null,
    reruns: null,
    passedReruns: null,
    otherBranches: null,
    otherSince: null,
  };
  const extent = ({ runs, since }: Findings['onBranch']) => ({
    runs: runs === 0 ? null : runs,
    since: since?.toISOString() ?? null,
  });
  if (infrastructure !== null) return { ...nothing, kind: 'infrastructure', infrastructure };
  if (isMarkedFlaky || isFlaky({ reruns, passed }))
    return { ...nothing, kind: 'flaky', reruns, passedReruns: passed };
  const elsewhere =
    others.branches === 0
      ? {}
      : { otherBranches: others.branches, otherSince: others.since?.toISOString() ?? null };
  if (onDefault.runs > 0 && !onDefaultBranch)
    return { ...nothing, kind: 'default_branch', ...extent(onDefault), ...elsewhere };
  if (!failedBefore)
    return others.branches === 0 ? nothing : { ...nothing, kind: 'other_branches', ...elsewhere };
  return {
    ...nothing,
    kind: 'branch',
    branch,
    ...extent(onDefaultBranch ? onDefault : onBranch),
    ...elsewhere,
  };
}

export function isFlaky({ reruns, passed }: Findings['reruns']): boolean {
  return passed > 0 && passed * flakyCases >= reruns;
}
