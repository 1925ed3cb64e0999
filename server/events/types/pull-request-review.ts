import { bigint, nullable, text, timestamptz, uuid } from '#platform/database/rows/column-types.ts';
import { storableText } from '#platform/database/rows/storable-text.ts';
import { fields, type Fields } from '#platform/runtime/json-fields.ts';
import { timeMs } from '#platform/runtime/times.ts';
import { key, newest, version, type RowOf } from '#server/runs/objects/columns.ts';
import { storedObject } from '#server/runs/objects/stored-object.ts';
import type { StaleRules, Version } from '#server/runs/staleness.ts';
import {
  login,
  maskedText,
  maxLengths,
  requireFields,
  requireId,
  requireText,
  type Origin,
} from '../parsing/payload-fields.ts';
import { eventType } from './event-type.ts';

const columns = {
  integrationId: key(uuid),
  reviewId: key(bigint),
  version,
  repository: newest(text),
  pullRequestNumber: newest(bigint),
  state: newest(nullable(text)),
  author: newest(nullable(text)),
  body: newest(nullable(text)),
  commitSha: newest(nullable(text)),
  url: newest(nullable(text)),
  submittedAt: newest(nullable(timestamptz)),
  updatedAt: newest(nullable(timestamptz)),
};

/** The pull request of the payload is incomplete, so only its number is read. */
function parseReview(payload: Fields, { integrationId, deliveredAt }: Origin): RowOf<typeof columns> {
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
    body: maskedText(review['body'], maxLengths.reviewBody),
    commitSha: storableText(review['commit_id'], maxLengths.name),
    url: storableText(review['html_url'], maxLengths.url),
    submittedAt,
    updatedAt,
  };
}

const stateRanks = new Map([
  ['pending', 0],
  ['dismissed', 2],
]);

/** Order: `updated_at`, else `submitted_at`; state rank; delivery time. */
function reviewVersion(changedAtMs: number | null, state: string | null, deliveredAt: bigint): Version {
  const version = Buffer.allocUnsafe(15);
  version.writeUIntBE(changedAtMs ?? 0, 0, 6);
  version.writeUInt8(stateRanks.get(state ?? '') ?? 1, 6);
  version.writeBigUInt64BE(deliveredAt, 7);
  return version;
}

const staleRules: StaleRules = [
  [0, 'older_update'],
  [6, 'earlier_status'],
  [7, 'earlier_delivery'],
];

export const pullRequestReview = eventType({
  code: 3,
  object: storedObject('reviews', columns),
  parse: parseReview,
  staleRules,
});
