import type { Tx } from '#platform/database/database.ts';
import { placeKey, type BranchName } from './branch-keys.ts';
import { unknownFork } from '#server/runs/objects/head-repository.ts';
import { incidentColumns, type IncidentRow } from '../incidents/reading/incident-list-store.ts';

export interface EndedBranch {
  repository: string;
  head_repository: string;
  head_branch: string;
  ended_at: Date;
}

/** A branch that was the default branch until another one took its place. */
export interface LeftBranch {
  repository: string;
  branch: string;
  /** The default branch now. */
  default_branch: string | null;
  ended_at: Date;
}

/** A pull request that is closed, whether or not its branch goes on. */
export interface ClosedPullRequest {
  repository: string;
  number: number;
  ended_at: Date;
}

/** An open pull request. Merge queues into other branches than its base test it no more. */
export interface MovedPullRequest {
  repository: string;
  number: number;
  base_branch: string;
  head_repository: string | null;
  head_branch: string | null;
  /** Of the newest event, which names this base. */
  ended_at: Date;
}

/**
 * Removes the oldest pending ends and returns how many, and the branches that ended: their pull request is closed, no other one
 * is open, and they are not the default branch. A branch of a fork that the forge does not name ends with the pull request that the
 * number or the commit of its newest run tells, unless a branch of this name in any fork has an open one.
 */
export async function dequeueBranchEnds(
  tx: Tx,
  integrationId: string,
  limit: number,
): Promise<{
  count: number;
  ended: EndedBranch[];
  closed: ClosedPullRequest[];
  moved: MovedPullRequest[];
  left: LeftBranch[];
}> {
  const { rows } = await tx.query<
    EndedBranch &
      ClosedPullRequest & {
        is_ended: boolean;
        is_fork_ended: boolean;
        is_closed: boolean;
        is_open: boolean;
        base_branch: string | null;
        branch: string | null;
        default_branch: string | null;
      }
  >(dequeueText, [integrationId, limit]);
  return {
    count: rows.length,
    ended: [
      ...rows.filter(({ is_ended: isEnded }) => isEnded),
      ...rows
        .filter(({ is_fork_ended: isForkEnded }) => isForkEnded)
        .map((row) => ({ ...row, head_repository: unknownFork })),
    ],
    closed: rows.filter(({ is_closed: isClosed }) => isClosed),
    moved: rows.flatMap(({ is_open: isOpen, base_branch, ...row }) =>
      isOpen && base_branch !== null ? [{ ...row, base_branch }] : [],
    ),
    left: rows.flatMap(({ repository, branch, default_branch, ended_at }) =>
      // It may have become the default branch again.
      branch === null || branch === default_branch ? [] : [{ repository, branch, default_branch, ended_at }],
    ),
  };
}

const dequeueText = `with taken as (
       delete from pending_branch_ends where branch_end_id in (
         select branch_end_id from pending_branch_ends where group_id = $1
           -- Incidents of renamed forks move first: behind its end, nothing would close them.
           and not exists (select from pending_evaluations e where e.group_id = $1 and e.attempt = 0)
         order by branch_end_id limit $2)
       returning repository, number, branch)
     select t.repository, t.branch, b.default_branch, t.number::float8 as number, p.head_repository, p.head_branch, p.base_branch,
            -- The forge's clock may be ahead; nothing says when a default branch was replaced.
            case when t.branch is not null then greatest(now(), l.created_at)
                 when p.state = 'open' then coalesce(p.updated_at, now())
                 else coalesce(p.closed_at, now()) end as ended_at,
            coalesce(p.state = 'closed', false) as is_closed,
            coalesce(p.state = 'open', false) as is_open,
            coalesce(p.state = 'closed' and p.head_repository is not null and p.head_branch is not null
              and not coalesce(r.on_default_branch and p.head_repository = p.repository, false)
              and not exists (select from pull_requests o where o.integration_id = $1 and o.head_key = p.head_key
                and o.repository = p.repository and o.head_branch = p.head_branch and o.state = 'open'
                and o.head_repository = p.head_repository), false) as is_ended,
            coalesce(p.state = 'closed' and p.head_branch is not null and p.head_repository is distinct from p.repository
              and not exists (select from pull_requests o where o.integration_id = $1 and o.head_key = p.head_key
                and o.repository = p.repository and o.head_branch = p.head_branch and o.state = 'open'
                and o.head_repository is distinct from o.repository) and coalesce(f.is_of_pull_request, true), false) as is_fork_ended
     from taken t
     left join repositories b on b.integration_id = $1 and b.repository = t.repository
     left join pull_requests p on p.integration_id = $1 and p.repository = t.repository and p.number = t.number
     left join lateral (
       select bool_or(w.on_default_branch) as on_default_branch from (
         select * from workflow_runs x where x.integration_id = $1 and x.branch_key = p.head_key
         order by x.created_at desc, x.run_id desc limit 1000) w
       where w.repository = p.repository and w.head_branch = p.head_branch
         and coalesce(w.head_repository, w.repository) = p.head_repository) r on true
     left join lateral (
       select w.head_sha = p.head_sha or t.number = any (w.pull_requests) as is_of_pull_request from (
         select * from workflow_runs x where x.integration_id = $1 and x.branch_key = p.head_key
         order by x.created_at desc, x.run_id desc limit 1000) w
       where w.repository = p.repository and w.head_branch = p.head_branch and w.head_repository = '${unknownFork}'
         and w.created_at <= coalesce(p.closed_at, now())
       order by w.created_at desc, w.run_id desc limit 1) f on true
     left join lateral (
       select max(w.created_at) as created_at from (
         select * from workflow_runs x where x.integration_id = $1 and x.branch_key = hashtextextended(t.branch, 0)
         order by x.created_at desc, x.run_id desc limit 1000) w
       where w.repository = t.repository and w.head_branch = t.branch) l on t.branch is not null`;

export type Branch = Omit<BranchName, 'workflow'> & { branch: string };

/** Failures of runs that were created until then are ignored from now on. */
export async function saveBranchEnd(
  tx: Tx,
  integrationId: string,
  branch: Branch,
  endedAt: Date,
): Promise<void> {
  await tx.query(
    `insert into branch_ends (integration_id, place_key, ended_at) values ($1, $2, $3)
     on conflict (integration_id, place_key) do update
       set ended_at = greatest(branch_ends.ended_at, excluded.ended_at), at = now()`,
    [integrationId, placeKey(branch), endedAt],
  );
}

/** The default branch never ends, also if it ended as the default branch before. */
export async function deleteBranchEnd(tx: Tx, integrationId: string, branch: Branch): Promise<void> {
  await tx.query('delete from branch_ends where integration_id = $1 and place_key = $2', [
    integrationId,
    placeKey(branch),
  ]);
}

/**
 * Closes the open incidents about failures of the branch, or of all merge queues of a pull request, and returns them. With `kept`, the
 * incidents of this queue stay open, and those of others that have tested the pull request since.
 */
export function closeIncidentsOf(
  tx: Tx,
  integrationId: string,
  { repository, branch }: Branch,
  at: Date,
  reason: 'pull_request_closed' | 'default_branch_changed' | 'base_branch_changed',
  kept: string | null = null,
): Promise<IncidentRow[]> {
  return tx.rows<IncidentRow>(
    `with closed as (
       update incidents set closed_at = greatest(least($4, now()), opened_at), close_reason = $5,
         version = version + 1
       where integration_id = $1 and repository = $2 and (branch = $3 or starts_with(branch, $3 || ' into ')) and kind = 'failure' and closed_at is null
         and ($6::text is null or branch <> $6 and not exists (
           select from incident_failures f join workflow_runs r on r.integration_id = $1 and r.run_id = f.run_id
           where f.integration_id = $1 and f.incident_id = incidents.incident_id and r.created_at > $4))
       returning *)
     select ${incidentColumns} from closed i`,
    [integrationId, repository, branch, at, reason, kept],
  );
}
