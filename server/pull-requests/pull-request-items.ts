import { PullRequest, type PullRequestItem, type ReviewDecision } from '#contract/runs/pull-requests.ts';
import type { Tx } from '#platform/database/database.ts';
import { showTime } from '#platform/runtime/times.ts';
import type { PullRequestRow } from '#server/runs/objects/pull-request.ts';
import { listCheckedRuns, listQueuedChecks } from './check-store.ts';
import { listReviews, type ReviewRow } from './review-store.ts';
import { summarizeChecks } from './summarize-checks.ts';

/** Adds to each pull request the checks of its newest commit and what its reviews decide. */
export async function pullRequestItems(
  tx: Tx,
  integrationId: string,
  rows: readonly PullRequestRow[],
): Promise<PullRequestItem[]> {
  const commits = rows.map(({ repository, headSha }) => ({ repository, sha: headSha ?? '' }));
  const [runs, queued, reviews] = await Promise.all([
    listCheckedRuns(tx, integrationId, commits),
    listQueuedChecks(tx, integrationId, rows),
    listReviews(tx, integrationId, rows),
  ]);
  const runsOf = Map.groupBy(runs, ({ place }) => place);
  const queuedOf = Map.groupBy(queued, ({ place }) => place);
  const reviewsOf = Map.groupBy(reviews, ({ place }) => place);
  return rows.map((row, place) => ({
    ...pullRequestObject(row),
    checks: summarizeChecks(runsOf.get(place) ?? []),
    mergeQueue: queuedOf.has(place) ? summarizeChecks(queuedOf.get(place) ?? []) : null,
    review: decideReview(reviewsOf.get(place) ?? []),
  }));
}

type Field = keyof PullRequest;
const times = new Set<Field>(['createdAt', 'updatedAt', 'closedAt', 'mergedAt']);
const fields = Object.keys(PullRequest.properties) as Field[];

/** A stored pull request in the shape of the API. */
export function pullRequestObject(row: PullRequestRow): PullRequest {
  const shown = fields.map((field) => {
    const value = row[field];
    return [field, times.has(field) && typeof value === 'number' ? showTime(value) : value];
  });
  return Object.fromEntries(shown) as PullRequest;
}

/** The decision of the newest reviews of all reviewers. */
export function decideReview(reviews: readonly Pick<ReviewRow, 'state'>[]): ReviewDecision | null {
  const states = new Set(reviews.map(({ state }) => state));
  if (states.has('changes_requested')) return 'changes_requested';
  return states.has('approved') ? 'approved' : null;
}
