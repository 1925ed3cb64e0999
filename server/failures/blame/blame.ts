import type { FailingJob } from '#contract/failures/red-workflow.ts';
import type { Blame } from '#contract/failures/blame.ts';
import { repositoryUrl } from '#contract/base/forge-urls.ts';
import type { Tx } from '#platform/database/database.ts';
import { readFailingJobs } from '../run-failures/read-failing-jobs.ts';
import type { AsOf } from '../run-failures/failing-job-store.ts';
import { candidatesOf } from './candidates.ts';
import { listStreakStarts, type StreakStart } from './streak-start-store.ts';

/** What is known about a red workflow as of one of its red runs. */
export interface RedStreak
  extends Pick<StreakStart, 'since' | 'sinceIsKnown' | 'failures' | 'firstRunId'>, Blame {
  failing: FailingJob | null;
}

/** By run. With `run`, nothing after each run counts: for the page of an old run. Everything that names a commit or a person asks here. The caller bounds the number of runs. */
export async function readRedStreaks(
  tx: Tx,
  integrationId: string,
  runIds: readonly number[],
  asOf: AsOf = 'now',
): Promise<Map<number, RedStreak>> {
  if (runIds.length === 0) return new Map();
  const starts = await listStreakStarts(tx, integrationId, runIds, asOf);
  const attempts = new Map(
    starts.flatMap(({ runId, attempt, firstRunId, firstAttempt }) => [
      [runId, { runId, attempt }] as const,
      [firstRunId, { runId: firstRunId, attempt: firstAttempt }] as const,
    ]),
  );
  const failing = await readFailingJobs(tx, integrationId, [...attempts.values()], asOf);
  return new Map(
    starts.map((start) => {
      const [last, first] = [failing.get(start.runId) ?? null, failing.get(start.firstRunId) ?? null];
      const { since, sinceIsKnown, failures, firstRunId } = start;
      return [
        start.runId,
        {
          since,
          sinceIsKnown,
          failures,
          firstRunId,
          failing: last,
          ...blame({ ...start, commits: candidatesOf(start.commits, start.ofForge, firstRunId) }, [
            first,
            last,
          ]),
          repositoryUrl: repositoryUrl(start.firstUrl),
        },
      ];
    }),
  );
}

/**
 * Names a commit only if the run before the streak passed, exactly one commit lies between, and neither the first nor the newest failure
 * is flaky or infrastructure. A merge group that was tested again has the same pull request on another base, behind others: its commit is new
 * and names nobody.
 */
export function blame(
  { lastGreen, commits, isMergeGroup }: Pick<StreakStart, 'lastGreen' | 'commits' | 'isMergeGroup'>,
  failures: readonly (Pick<FailingJob, 'assessment'> | null)[],
): Omit<Blame, 'repositoryUrl'> {
  const kinds = new Set(failures.map((failure) => failure?.assessment?.kind));
  const nobody = (noBlame: NonNullable<Blame['noBlame']>, candidates: Blame['candidates'] = []) => ({
    firstBad: null,
    candidates,
    noBlame,
    lastGreen,
  });
  if (kinds.has('infrastructure')) return nobody('infrastructure');
  if (kinds.has('flaky')) return nobody('flaky');
  if (lastGreen === null) return nobody('no_success_before');
  const [only, ...others] = commits;
  if (only === undefined) return nobody('same_commit');
  if (isMergeGroup) return nobody('merge_group', [...commits]);
  if (others.length > 0) return nobody('several_commits', [...commits]);
  return { firstBad: only, candidates: [only], noBlame: null, lastGreen };
}

/** Without the other facts of the streak. */
export function blameOf({ firstBad, candidates, noBlame, lastGreen, repositoryUrl: url }: Blame): Blame {
  return { firstBad, candidates, noBlame, lastGreen, repositoryUrl: url };
}
