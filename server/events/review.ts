import { storableText } from '#platform/database/storable-text.ts';
import { fields, type Fields } from '#platform/runtime/json-fields.ts';
import { login, maxLengths, requireFields, requireId, requireText, type Origin } from './payload-fields.ts';
import { timeMs } from '#platform/runtime/times.ts';
import type { ReviewRow } from '#server/runs/objects/review.ts';
import { reviewVersion } from '#server/runs/staleness.ts';

/** The row that one `pull_request_review` event would leave alone. Its pull request is incomplete, so only the number is read. */
export function parseReview(payload: Fields, { integrationId, deliveredAt }: Origin): ReviewRow {
  const review = requireFields(payload['review'], 'review');
  const repository = requireFields(payload['repository'], 'repository');
  const state = storableText(review['state'], maxLengths.conclusion)?.toLowerCase() ?? null;
  const submittedAt = timeMs(review['submitted_at']);
  const updatedAt = timeMs(review['updated_at']);
  return {
    integrationId,
    reviewId: requireId(review['id'], 'review.id'),
    version: reviewVersion(updatedAt ?? submittedAt, state, deliveredAt),
    repository: requireText(repository['full_name'], 'repository.full_name', maxLengths.name),
    pullRequestNumber: requireId(fields(payload['pull_request'])['number'], 'pull_request.number'),
    state,
    author: login(review['user']),
    body: storableText(review['body'], maxLengths.reviewBody),
    commitSha: storableText(review['commit_id'], maxLengths.name),
    url: storableText(review['html_url'], maxLengths.url),
    submittedAt,
    updatedAt,
  };
}
