import { nodeId, type Account, type Organization } from './account.ts';
import { reducedPullRequest, type PullRequestState } from './pull-request.ts';
import { wholeSecond } from './times.ts';

export type ReviewAction = 'submitted' | 'edited' | 'dismissed';

/** The state of a review at one moment. */
export interface ReviewState {
  id: number;
  reviewer: Account;
  state: 'approved' | 'changes_requested' | 'commented' | 'dismissed';
  body: string | null;
  commitSha: string;
  submittedAt: number;
  updatedAt: number;
}

export type PullRequestReviewPayload = ReturnType<typeof pullRequestReviewPayload>;

/** The body of a `pull_request_review` event. */
export function pullRequestReviewPayload(
  organization: Organization,
  action: ReviewAction,
  review: ReviewState,
  pullRequest: PullRequestState,
  sender: Account,
) {
  return {
    action,
    review: reviewObject(review, pullRequest),
    pull_request: reducedPullRequest(pullRequest),
    repository: pullRequest.repository.full,
    organization,
    sender,
  };
}

function reviewObject(review: ReviewState, { repository, number }: PullRequestState) {
  const page = `${repository.full.html_url}/pull/${number}#pullrequestreview-${review.id}`;
  const pullRequestUrl = `${repository.full.url}/pulls/${number}`;
  return {
    id: review.id,
    node_id: nodeId('PRR', review.id),
    user: review.reviewer,
    body: review.body,
    commit_id: review.commitSha,
    submitted_at: wholeSecond(review.submittedAt),
    updated_at: wholeSecond(review.updatedAt),
    state: review.state,
    html_url: page,
    pull_request_url: pullRequestUrl,
    author_association: 'MEMBER',
    _links: { html: { href: page }, pull_request: { href: pullRequestUrl } },
  };
}
