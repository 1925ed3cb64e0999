import {
  bigint,
  boolean,
  nullable,
  text,
  texts,
  timestamptz,
  uuid,
} from '#platform/database/rows/column-types.ts';
import { fact, hidden, key, newest, olderFacts, version, type RowOf } from './columns.ts';
import { storedObject } from './stored-object.ts';

/**
 * The newer row wins as a whole: each event contains the whole pull request, and labels may be removed. But once a fork is deleted, nothing
 * says any more whose branch it was.
 */
const pullRequestColumns = {
  integrationId: key(uuid),
  repository: key(text),
  number: key(bigint),
  version,
  title: newest(nullable(text)),
  state: newest(nullable(text)),
  draft: newest(boolean),
  merged: newest(boolean),
  author: newest(nullable(text)),
  labels: newest(texts),
  headBranch: newest(nullable(text)),
  headSha: newest(nullable(text)),
  headRepository: hidden(fact(text)),
  /** By the forge's id. Null when the head is in the repository itself, or the ids do not tell. */
  forkId: hidden(fact(bigint)),
  baseBranch: newest(nullable(text)),
  url: newest(nullable(text)),
  createdAt: newest(nullable(timestamptz)),
  updatedAt: newest(nullable(timestamptz)),
  closedAt: newest(nullable(timestamptz)),
  mergedAt: newest(nullable(timestamptz)),
  mergeSha: hidden(newest(nullable(text))),
  olderFacts,
};

export type PullRequestRow = RowOf<typeof pullRequestColumns>;
export const storedPullRequests = storedObject('pull_requests', pullRequestColumns);
