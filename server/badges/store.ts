import { literals } from '#platform/database/rows/literals.ts';
import { decidedConclusions } from '#contract/runs/conclusions.ts';
import type { BadgeBody } from '#contract/integrations/badges.ts';
import type { Tx } from '#platform/database/database.ts';

interface BadgeSubject {
  repository: string;
  workflow: string;
  /** Null: the default branch. */
  branch: string | null;
}

export interface BadgeRow extends BadgeSubject {
  badgeId: string;
  createdAt: Date;
  createdBy: string | null;
  creatorName: string | null;
}

/** Oldest first. */
export function listBadges(tx: Tx, integrationId: string): Promise<BadgeRow[]> {
  return tx.rows<BadgeRow>(
    `select badge_id as "badgeId", repository, workflow_name as workflow, branch, b.created_at as "createdAt",
       created_by as "createdBy", coalesce(u.name, u.forge_login) as "creatorName"
     from badges b left join users u on u.user_id = b.created_by
     where integration_id = $1 order by b.created_at, badge_id`,
    [integrationId],
  );
}

/** False when the workflow has a badge for the branch already. */
export function insertBadge(
  tx: Tx,
  integrationId: string,
  { badgeId, repository, workflow, branch, createdBy }: BadgeBody & { badgeId: string; createdBy: string },
): Promise<boolean> {
  return tx.some(
    `insert into badges (integration_id, badge_id, repository, workflow_name, branch, created_by)
     values ($1, $2, $3, $4, $5, $6) on conflict do nothing`,
    [integrationId, badgeId, repository, workflow, branch, createdBy],
  );
}

/** Undefined when the integration has no such badge. */
export function deleteBadge(
  tx: Tx,
  integrationId: string,
  badgeId: string,
): Promise<BadgeSubject | undefined> {
  return tx.row<BadgeSubject>(
    `delete from badges where integration_id = $1 and badge_id = $2
     returning repository, workflow_name as workflow, branch`,
    [integrationId, badgeId],
  );
}

/** Serializes the creation of badges of one integration, so that none exceeds the limit. */
export async function lockBadges(tx: Tx, integrationId: string): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('badges ' || $1, 0))`, [integrationId]);
}

export function hasWorkflow(
  tx: Tx,
  integrationId: string,
  { repository, workflow }: Pick<BadgeSubject, 'repository' | 'workflow'>,
): Promise<boolean> {
  return tx.some(
    `select from workflow_runs where integration_id = $1
       and workflow_key = hashtextextended($3, hashtextextended($2, 0)) limit 1`,
    [integrationId, repository, workflow],
  );
}

/** The badge whose id has the hash in scope. */
export function findBadge(tx: Tx): Promise<(BadgeSubject & { integrationId: string }) | undefined> {
  return tx.row<BadgeSubject & { integrationId: string }>(
    `select integration_id as "integrationId", repository, workflow_name as workflow, branch
     from badges where id_hash = (select scope_secret_hash())`,
  );
}

/** The runs that are searched for one of a branch that decides. */
const maxScanned = 500;

/**
 * The conclusion of the newest run that succeeded or failed. Null when there is none among the newest runs of the workflow,
 * so that the time does not depend on the length of the history.
 */
export async function readConclusion(
  tx: Tx,
  integrationId: string,
  { repository, workflow, branch }: BadgeSubject,
): Promise<string | null> {
  const ofBranch = branch === null ? 'and on_default_branch' : '';
  const conclusion = await tx.value<string>({
    name: `read-badge ${branch === null}`,
    text: `select conclusion from (
             select head_branch, status, conclusion, created_at, run_id from workflow_runs
             where integration_id = $1 and workflow_key = hashtextextended($3, hashtextextended($2, 0)) ${ofBranch}
             order by created_at desc, run_id desc limit ${maxScanned}) scanned
           where ($4::text is null or head_branch = $4) and status = 'completed'
             and conclusion in ${literals(decidedConclusions)}
           order by created_at desc, run_id desc limit 1`,
    values: [integrationId, repository, workflow, branch],
  });
  return conclusion ?? null;
}
