import type { Assessment } from '#contract/failures/failures.ts';
import type { Tx } from '#platform/database/database.ts';
import { countReruns, countStreak, failedBefore, type GroupOnBranch } from '../groups/streak-store.ts';

/** A failure to assess. */
export interface AssessedFailure extends GroupOnBranch {
  runId: number;
  failedAt: string;
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
}

/** A job is flaky when this many re-runs passed, and at least half of all. */
const minPassed = 2;

/** Takes a bounded number of index reads, whatever the number of failures. */
export async function assess(tx: Tx, failure: AssessedFailure): Promise<Assessment> {
  const { integrationId, groupId, branch, onDefaultBranch, runId, failedAt } = failure;
  const none = { runs: 0, since: null };
  const isOther = branch !== null && !onDefaultBranch;
  const [reruns, onDefault, onBranch, hasFailed] = await Promise.all([
    countReruns(tx, integrationId, groupId),
    countStreak(tx, { ...failure, branch: null }),
    isOther ? countStreak(tx, failure) : none,
    branch === null ? false : failedBefore(tx, { integrationId, groupId, branch }, runId, failedAt),
  ]);
  return assessmentOf(failure, { reruns, onDefault, onBranch, failedBefore: hasFailed });
}

/** The first that applies: infrastructure, flaky, default branch, new, known on the branch. */
export function assessmentOf(
  {
    infrastructure,
    branch,
    onDefaultBranch,
    isMarkedFlaky,
  }: Pick<AssessedFailure, 'infrastructure' | 'branch' | 'onDefaultBranch' | 'isMarkedFlaky'>,
  { reruns: { reruns, passed }, onDefault, onBranch, failedBefore }: Findings,
): Assessment {
  const nothing: Assessment = {
    kind: 'new_on_branch',
    infrastructure: null,
    branch: null,
    since: null,
    runs: null,
    reruns: null,
    passedReruns: null,
  };
  const extent = ({ runs, since }: Findings['onBranch']) => ({
    runs: runs === 0 ? null : runs,
    since: since?.toISOString() ?? null,
  });
  if (infrastructure !== null) return { ...nothing, kind: 'infrastructure', infrastructure };
  if (isMarkedFlaky || (passed >= minPassed && passed * 2 >= reruns))
    return { ...nothing, kind: 'flaky', reruns, passedReruns: passed };
  if (onDefault.runs > 0 && !onDefaultBranch)
    return { ...nothing, kind: 'default_branch', ...extent(onDefault) };
  if (!failedBefore) return nothing;
  return { ...nothing, kind: 'branch', branch, ...extent(onDefaultBranch ? onDefault : onBranch) };
}
