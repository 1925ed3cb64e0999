import { decidedConclusions } from '#contract/runs/conclusions.ts';
import type { Tx } from '#platform/database/database.ts';
import { ms, type MergedRow } from './result-store.ts';

type Pull = Pick<MergedRow, 'repository' | 'number'>;

/** The reviews of one pull request by others than its author, up to its merge. */
export interface ReviewTimes {
  /** Index of the pull request in the request. */
  place: number;
  firstAt: number | null;
  /** The last approval. */
  approvedAt: number | null;
  /** Commits for which changes were requested, and which another commit followed. */
  rounds: number;
}

/** Reviews of one pull request that are read. */
const maxReviews = 200;

const keysOf = (pulls: readonly Pull[]): unknown[] => [
  pulls.map(({ repository }) => repository),
  pulls.map(({ number }) => number),
];

/** Of pull requests that somebody else reviewed. Forges compare logins without case, and those of programs end with `[bot]`. */
export function listReviewTimes(
  tx: Tx,
  integrationId: string,
  pulls: readonly Pull[],
): Promise<ReviewTimes[]> {
  return tx.rows<ReviewTimes>({
    name: 'list-review-times',
    text: `select k.place::int - 1 as place, ${ms('min(v.submitted_at)')} as "firstAt",
             ${ms(`max(v.submitted_at) filter (where v.state = 'approved')`)} as "approvedAt",
             count(distinct v.commit_sha) filter (
               where v.state = 'changes_requested' and v.commit_sha is distinct from p.head_sha)::int as rounds
           from unnest($2::text[], $3::bigint[]) with ordinality k (repository, number, place)
           cross join lateral (
             select * from pull_requests p
             where p.integration_id = $1 and p.repository = k.repository and p.number = k.number limit 1) p
           cross join lateral (
             select * from reviews r
             where r.integration_id = $1 and r.pull_request_number = k.number and r.repository = k.repository
             limit ${maxReviews}) v
           where v.submitted_at <= p.merged_at and lower(v.author) <> lower(p.author) and v.author not like '%[bot]'
           group by k.place`,
    values: [integrationId, ...keysOf(pulls)],
  });
}

/** An attempt of a run of a pull request. Milliseconds since the epoch. */
export interface CheckTime {
  place: number;
  from: number;
  to: number;
}

/** Runs of one pull request that are read. */
const maxRuns = 100;

/** When the runs of pull requests waited and ran: of those that name it, and of forks by its last commit. */
export function listCheckTimes(tx: Tx, integrationId: string, pulls: readonly Pull[]): Promise<CheckTime[]> {
  const finished = `status = 'completed' and conclusion = any ($4::text[])`;
  return tx.rows<CheckTime>({
    name: 'list-check-times',
    text: `select k.place::int - 1 as place, ${ms('t.begun_at')} as "from", ${ms('t.completed_at')} as "to"
           from unnest($2::text[], $3::bigint[]) with ordinality k (repository, number, place)
           cross join lateral (
             select * from pull_requests p
             where p.integration_id = $1 and p.repository = k.repository and p.number = k.number limit 1) p
           cross join lateral (
             (select * from workflow_runs w where w.integration_id = $1 and w.first_pull_request = k.number
                and w.repository = k.repository
              order by w.created_at desc, w.run_id desc limit ${maxRuns})
             union all
             (select * from workflow_runs w where w.integration_id = $1 and w.head_sha = p.head_sha
                and w.repository = k.repository and w.first_pull_request is null limit ${maxRuns})) w
           cross join lateral (
             select case when w.attempt = 1 then w.created_at else coalesce(w.started_at, w.created_at) end as begun_at,
               w.completed_at
             where w.${finished}
             union all
             select case when a.attempt = 1 then w.created_at else coalesce(a.started_at, w.created_at) end, a.completed_at
             from workflow_run_attempts a
             where w.attempt > 1 and a.integration_id = $1 and a.run_id = w.run_id and a.${finished}) t
           where t.completed_at > t.begun_at`,
    values: [integrationId, ...keysOf(pulls), decidedConclusions],
  });
}
