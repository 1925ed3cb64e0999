import type { Tx } from '#platform/database/database.ts';

/** The newest review of a reviewer. */
export interface ReviewRow {
  /** Index of the pull request in the request. */
  place: number;
  author: string | null;
  state: string | null;
  commit_sha: string | null;
  url: string | null;
  submitted_at: Date | null;
}

/** Reviewers of one pull request that are read. */
const maxReviewers = 100;

/** For each reviewer the newest review that approves, requests changes or was dismissed; without one, the newest comment. */
export async function listReviews(
  tx: Tx,
  integrationId: string,
  pulls: readonly { repository: string; number: number }[],
): Promise<ReviewRow[]> {
  if (pulls.length === 0) return [];
  return tx.rows<ReviewRow>({
    text: `select k.place::int - 1 as place, v.* from unnest($2::text[], $3::bigint[]) with ordinality k (repository, number, place)
           cross join lateral (
             select distinct on (r.author) r.author, r.state, r.commit_sha, r.url, r.submitted_at from reviews r
             where r.integration_id = $1 and r.pull_request_number = k.number and r.repository = k.repository
             order by r.author, r.state = 'commented', r.submitted_at desc nulls last limit ${maxReviewers}) v
           order by k.place, v.submitted_at desc nulls last`,
    values: [integrationId, pulls.map((pull) => pull.repository), pulls.map((pull) => pull.number)],
  });
}
