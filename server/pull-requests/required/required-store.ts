import type { Tx } from '#platform/database/database.ts';
import { columnsOf } from '#platform/database/rows/columns-of.ts';
import { joinConnections, keyOfJoined } from '#server/forge-tasks/joined-connections.ts';
import { fullNameOf } from '#server/runs/names/stored-full-name.ts';
import { requestsOf } from '#server/tasks/request-tasks.ts';

/** A branch that pull requests are merged into. */
export interface BaseBranch {
  repository: string;
  branch: string;
}

/** What was read is asked for again after this time. */
const askAgain = `interval '1 hour'`;

/** Requests the required checks of the branches into which pull requests at these commits are merged, unless they were read lately. */
export async function requestOfCommits(
  tx: Tx,
  commits: readonly { integrationId: string; repository: string; headSha: string }[],
): Promise<void> {
  await tx.query({
    name: 'request-required-checks',
    text: `with stored as (
             insert into required_checks as c (integration_id, repository, branch)
             select distinct p.integration_id, p.repository, p.base_branch
             from unnest($1::uuid[], $2::text[], $3::text[]) r (integration_id, repository, head_sha)
             join pull_requests p on p.integration_id = r.integration_id and p.head_sha = r.head_sha and p.repository = r.repository
             where p.base_branch is not null order by 1, 2, 3
             on conflict (integration_id, repository, branch) do update set requested_at = now()
               where c.requested_at < now() - ${askAgain}
             returning integration_id, repository)
           ${requestsOf(`select distinct s.integration_id, 'forge-checks', ${keyOfJoined}, now()
             from stored s ${joinConnections('s')}`)}`,
    values: columnsOf(commits, 'integrationId', 'repository', 'headSha'),
  });
}

export interface RequestedBranch extends BaseBranch {
  /** The newest name of the repository, for the forge. */
  fullName: string;
}

/** What is to be read through a connection, oldest request first. */
export function listRequested(
  tx: Tx,
  integrationId: string,
  installationId: string | null,
  most: number,
): Promise<RequestedBranch[]> {
  return tx.rows<RequestedBranch>({
    name: 'list-requested-checks',
    text: `select c.repository, c.branch, l.repository as "fullName" from required_checks c ${joinConnections('c')}
           where c.integration_id = $1 and l.installation_id is not distinct from $2::bigint
             and (c.read_at is null or c.read_at < c.requested_at)
           order by c.requested_at limit $3`,
    values: [integrationId, installationId, most],
  });
}

/** What must pass. */
export interface Required {
  checks: string[];
  arePatterns: boolean;
}

/** Without `required` the forge refused. */
export async function storeRequired(
  tx: Tx,
  integrationId: string,
  { repository, branch }: BaseBranch,
  required: Required | undefined,
): Promise<void> {
  await tx.query({
    name: 'store-required-checks',
    text: `update required_checks set read_at = now(), checks = $4, are_patterns = $5
           where integration_id = $1 and repository = $2 and branch = $3`,
    values: [integrationId, repository, branch, required?.checks ?? null, required?.arePatterns ?? false],
  });
}

export interface RequiredRow {
  isConnected: boolean;
  isRead: boolean;
  checks: string[] | null;
  arePatterns: boolean;
}

export async function findRequired(
  tx: Tx,
  integrationId: string,
  { repository, branch }: BaseBranch,
): Promise<RequiredRow> {
  const row = await tx.row<RequiredRow>({
    name: 'find-required-checks',
    text: `select exists (select from linked_repositories l where l.integration_id = $1 and l.is_chosen
                          and l.repository = ${fullNameOf('$1', '$2')}) as "isConnected",
             c.read_at is not null as "isRead", c.checks, coalesce(c.are_patterns, false) as "arePatterns"
           from (select $1::uuid as integration_id) one
           left join required_checks c on c.integration_id = $1 and c.repository = $2 and c.branch = $3`,
    values: [integrationId, repository, branch],
  });
  return row!;
}

export function deleteOldRequired(tx: Tx, integrationId: string, before: Date): Promise<number> {
  return tx.execute('delete from required_checks where integration_id = $1 and requested_at < $2', [
    integrationId,
    before,
  ]);
}
