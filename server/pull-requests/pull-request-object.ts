import { PullRequest } from '#contract/runs/pull-requests.ts';
import { showTime } from '#platform/runtime/times.ts';
import type { PullRequestRow } from '#server/runs/objects/pull-request.ts';

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
