import type { PullRequest, ReviewDecision } from '#contract/runs/pull-requests.ts';

export const decisionTexts: Record<ReviewDecision, string> = {
  approved: 'Approved',
  changes_requested: 'Changes requested',
};

/** The state of a pull request as one word. */
export function stateOf({ state, draft, merged }: Pick<PullRequest, 'state' | 'draft' | 'merged'>): string {
  if (merged) return 'Merged';
  if (state === 'closed') return 'Closed';
  return draft ? 'Draft' : 'Open';
}

const reviewTexts: Readonly<Record<string, string>> = {
  approved: 'approved',
  changes_requested: 'requested changes',
  commented: 'commented',
  dismissed: 'was dismissed',
  pending: 'has not submitted the review',
};

export function reviewText(state: string | null): string {
  return (state !== null && Object.hasOwn(reviewTexts, state) && reviewTexts[state]) || 'reviewed';
}
