import { bigint, nullable, text, timestamptz, uuid } from '#platform/database/column-types.ts';
import { key, newest, version, type RowOf } from './columns.ts';
import { mergeOf } from './merge-rows.ts';
import { keyTextOf, tableOf } from './stored-object.ts';

const reviewColumns = {
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

export type ReviewRow = RowOf<typeof reviewColumns>;
export const reviewTable = tableOf('reviews', reviewColumns);
export const reviewKey = keyTextOf(reviewColumns);
export const mergeReviews = mergeOf(reviewColumns);
