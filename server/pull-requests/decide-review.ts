import type { ReviewDecision } from '#contract/runs/pull-requests.ts';
import type { ReviewRow } from './review-store.ts';

/** The decision of the newest reviews of all reviewers. */
export function decideReview(reviews: readonly Pick<ReviewRow, 'state'>[]): ReviewDecision | null {
  const states = new Set(reviews.map(({ state }) => state));
  if (states.has('changes_requested')) return 'changes_requested';
  return states.has('approved') ? 'approved' : null;
}
