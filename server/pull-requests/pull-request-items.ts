import type { PullRequestItem } from '#contract/runs/pull-requests.ts';
import type { Tx } from '#platform/database/database.ts';
import type { PullRequestRow } from '#server/runs/objects/pull-request.ts';
import { listCheckedRuns } from './check-store.ts';
import { decideReview } from './decide-review.ts';
import { pullRequestObject } from './pull-request-object.ts';
import { listReviews } from './review-store.ts';
import { summarizeChecks } from './summarize-checks.ts';

/** Adds to each pull request the checks of its newest commit and what its reviews decide. */
export async function pullRequestItems(
  tx: Tx,
  integrationId: string,
  rows: readonly PullRequestRow[],
): Promise<PullRequestItem[]> {
  const commits = rows.map(({ repository, headSha }) => ({ repository, sha: headSha ?? '' }));
  const [runs, reviews] = await Promise.all([
    listCheckedRuns(tx, integrationId, commits),
    listReviews(tx, integrationId, rows),
  ]);
  const runsOf = Map.groupBy(runs, ({ place }) => place);
  const reviewsOf = Map.groupBy(reviews, ({ place }) => place);
  return rows.map((row, place) => ({
    ...pullRequestObject(row),
    checks: summarizeChecks(runsOf.get(place) ?? []),
    review: decideReview(reviewsOf.get(place) ?? []),
  }));
}
