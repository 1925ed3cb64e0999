import type { Tx } from '#platform/database/database.ts';
import { columnsOf } from '#platform/database/rows/columns-of.ts';

/** Commits after `baseSha` up to `headSha`. */
export interface CommitRange {
  /** As stored in every table. */
  repository: string;
  baseSha: string;
  headSha: string;
}

/** A commit as it is stored. */
export interface StoredCommit {
  sha: string;
  title: string | null;
  author: string | null;
  at: string | null;
  isOnBranch: boolean;
  /** Null when they were not read. */
  files: string[] | null;
}

export type BranchCommit = Pick<StoredCommit, 'sha' | 'title' | 'author'>;

/** A connection that sees the repository `c.repository`: an installation, or null for the access token. */
const connected = `left join repositories n on n.integration_id = $1 and n.repository = c.repository
  join linked_repositories l on l.integration_id = $1 and l.is_chosen and l.repository in (c.repository, n.full_name)`;

/** After which time commits that the forge did not return are asked for again. */
const askAgain = `interval '1 hour'`;

/**
 * Stores which ranges are to be read, unless they are read already. Returns the connections that see their repositories; nothing is
 * stored without one.
 */
export async function insertRanges(
  tx: Tx,
  integrationId: string,
  /** `runId` is that of a failure, whose files are read too. */
  ranges: readonly (CommitRange & { runId: number | null })[],
): Promise<(string | null)[]> {
  if (ranges.length === 0) return [];
  return tx.column<string | null>({
    name: 'insert-commit-ranges',
    text: `with linked as (
             select c.*, l.installation_id from unnest($2::text[], $3::text[], $4::text[], $5::bigint[])
               as c (repository, base_sha, head_sha, run_id)
             ${connected}
           ), stored as (
             insert into commit_ranges as r (integration_id, repository, base_sha, head_sha, run_id)
             select distinct on (repository, base_sha, head_sha) $1::uuid, repository, base_sha, head_sha, run_id from linked
             order by repository, base_sha, head_sha, run_id
             on conflict (integration_id, repository, base_sha, head_sha) do update
               set state = 'waiting', requested_at = now(), read_at = null, run_id = coalesce(r.run_id, excluded.run_id)
               where r.state = 'unreadable' and r.read_at < now() - ${askAgain}
                 or r.run_id is null and excluded.run_id is not null
             returning repository, base_sha, head_sha
           )
           select distinct k.installation_id::text from stored join linked k using (repository, base_sha, head_sha)`,
    values: [integrationId, ...columnsOf(ranges, 'repository', 'baseSha', 'headSha', 'runId')],
  });
}

/** Those of the repositories that a connection to the forge sees. */
export function listConnected(
  tx: Tx,
  integrationId: string,
  repositories: readonly string[],
): Promise<string[]> {
  return tx.column<string>({
    name: 'list-connected-repositories',
    text: `select distinct c.repository from unnest($2::text[]) as c (repository) ${connected}`,
    values: [integrationId, repositories],
  });
}

export interface WaitingRange extends CommitRange {
  /** The newest name, for the forge. */
  fullName: string;
  isOfFailure: boolean;
}

/** What waits for a connection, oldest first. */
export function listWaitingRanges(
  tx: Tx,
  integrationId: string,
  installationId: string | null,
  most: number,
): Promise<WaitingRange[]> {
  return tx.rows<WaitingRange>({
    name: 'list-waiting-commit-ranges',
    text: `select c.repository, c.base_sha as "baseSha", c.head_sha as "headSha", l.repository as "fullName", c.run_id is not null as "isOfFailure"
           from commit_ranges c ${connected}
           where c.integration_id = $1 and c.state = 'waiting' and l.installation_id is not distinct from $2::bigint
           order by c.requested_at limit $3`,
    values: [integrationId, installationId, most],
  });
}

export interface ReadRange {
  total: number;
  commits: readonly StoredCommit[];
  branchCommits: readonly BranchCommit[];
}

/** Stores what was read, or without `read` that the forge did not return it. */
export async function storeRange(
  tx: Tx,
  integrationId: string,
  { repository, baseSha, headSha }: CommitRange,
  read: ReadRange | undefined,
): Promise<void> {
  await tx.query({
    name: 'store-commit-range',
    text: `update commit_ranges set state = $5, total = $6, commits = $7::jsonb, branch_commits = $8::jsonb, read_at = now()
           where integration_id = $1 and repository = $2 and base_sha = $3 and head_sha = $4`,
    values: [
      integrationId,
      repository,
      baseSha,
      headSha,
      read === undefined ? 'unreadable' : 'read',
      read?.total ?? 0,
      JSON.stringify(read?.commits ?? []),
      JSON.stringify(read?.branchCommits ?? []),
    ],
  });
}

export interface RangeRow {
  state: 'waiting' | 'read' | 'unreadable';
  total: number;
  commits: StoredCommit[];
}

export function findRange(
  tx: Tx,
  integrationId: string,
  { repository, baseSha, headSha }: CommitRange,
): Promise<RangeRow | undefined> {
  return tx.row<RangeRow>({
    name: 'find-commit-range',
    text: `select state, total, commits from commit_ranges
           where integration_id = $1 and repository = $2 and base_sha = $3 and head_sha = $4`,
    values: [integrationId, repository, baseSha, headSha],
  });
}

/** What is stored of ranges, without files. */
export function findRanges(
  tx: Tx,
  integrationId: string,
  ranges: readonly CommitRange[],
): Promise<
  (CommitRange & Pick<RangeRow, 'state' | 'total'> & { commits: Pick<StoredCommit, 'sha' | 'title'>[] })[]
> {
  return tx.rows({
    name: 'find-commit-ranges',
    text: `select c.repository, c.base_sha as "baseSha", c.head_sha as "headSha", c.state, c.total,
             (select coalesce(json_agg(json_build_object('sha', each ->> 'sha', 'title', each ->> 'title')), '[]')
              from jsonb_array_elements(c.commits) each) as commits
           from unnest($2::text[], $3::text[], $4::text[]) as k (repository, base_sha, head_sha)
           join commit_ranges c on c.integration_id = $1 and c.repository = k.repository and c.base_sha = k.base_sha
             and c.head_sha = k.head_sha`,
    values: [integrationId, ...columnsOf(ranges, 'repository', 'baseSha', 'headSha')],
  });
}

/** The first run of the branch at each of these commits, and which of the pull requests are stored. */
export async function findKnown(
  tx: Tx,
  integrationId: string,
  { repository, runId }: { repository: string; runId: number },
  { shas, numbers }: { shas: readonly string[]; numbers: readonly number[] },
): Promise<{ runs: Map<string, number>; pullRequests: Set<number> }> {
  const runs = await tx.rows<{ sha: string; runId: number }>({
    name: 'find-runs-of-commits',
    text: `select w.head_sha as sha, min(w.run_id)::float8 as "runId" from workflow_runs a
           join workflow_runs w on w.integration_id = $1 and w.head_sha = any ($3) and w.repository = a.repository
             and w.head_branch is not distinct from a.head_branch
           where a.integration_id = $1 and a.run_id = $2 group by 1`,
    values: [integrationId, runId, shas],
  });
  const pullRequests = await tx.column<number>({
    name: 'find-pull-requests-of-commits',
    text: `select number::float8 from pull_requests where integration_id = $1 and repository = $2 and number = any ($3::bigint[])`,
    values: [integrationId, repository, numbers],
  });
  return { runs: new Map(runs.map(({ sha, runId: id }) => [sha, id])), pullRequests: new Set(pullRequests) };
}

export async function deleteOldRanges(tx: Tx, integrationId: string, before: Date): Promise<number> {
  const { rowCount } = await tx.query(
    'delete from commit_ranges where integration_id = $1 and requested_at < $2',
    [integrationId, before],
  );
  return rowCount ?? 0;
}
