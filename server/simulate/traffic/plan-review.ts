import type { OpenPullRequest } from './plan-pull-request.ts';
import * as names from './names.ts';
import { pullRequestReviewPayload, type ReviewAction, type ReviewState } from '../payload/review.ts';
import { nextChange } from './next-change.ts';
import type { World } from './world.ts';

/** Plans one review of the pull request's current state. Some reviews are edited or dismissed later. */
export function planReview(
  world: World,
  pull: OpenPullRequest,
  state: keyof typeof names.reviewBodies,
): void {
  const { random } = world;
  const submittedAt = nextChange(world, pull.state, 30, 150);
  let review: ReviewState = {
    id: world.nextId('review'),
    reviewer: random.pick(pull.reviewers),
    state,
    body: random.pick(names.reviewBodies[state]),
    commitSha: pull.state.headSha,
    submittedAt,
    updatedAt: submittedAt,
  };
  record(world, pull, 'submitted', review);
  if (random.chance(0.25)) {
    const updatedAt = nextChange(world, pull.state, 5, 60);
    review = { ...review, updatedAt, body: `${review.body ?? 'See inline.'} Edited for clarity.` };
    record(world, pull, 'edited', review);
  }
  if (state !== 'commented' && random.chance(0.25)) {
    review = { ...review, updatedAt: nextChange(world, pull.state, 10, 90), state: 'dismissed' };
    record(world, pull, 'dismissed', review);
  }
}

/** A review also changes the pull request's `updated_at`. */
function record(world: World, pull: OpenPullRequest, action: ReviewAction, review: ReviewState): void {
  const pullRequest = { ...pull.state, updatedAt: review.updatedAt };
  pull.state = pullRequest;
  pull.events.push({
    at: review.updatedAt,
    build: () => ({
      eventType: 'pull_request_review',
      payload: pullRequestReviewPayload(world.organization, action, review, pullRequest, review.reviewer),
    }),
  });
}
