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

/** The badge whose id has the hash in scope. */
export function findBadge(tx: Tx): Promise<(BadgeSubject & { integrationId: string }) | undefined> {
  return tx.row<BadgeSubject & { integrationId: string }>(
    `select integration_id as "integrationId", repository, workflow_name as workflow, branch
     from badges where id_hash = (select scope_secret_hash())`,
  );
}
