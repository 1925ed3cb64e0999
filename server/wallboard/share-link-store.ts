import type { WallFilter } from '#contract/integrations/wallboard.ts';
import type { Tx } from '#platform/database/database.ts';

export interface ShareLinkRow {
  linkId: string;
  name: string;
  filter: WallFilter;
  createdAt: Date;
  createdBy: string | null;
  creatorName: string | null;
}

/** Oldest first. */
export function listShareLinks(tx: Tx, integrationId: string): Promise<ShareLinkRow[]> {
  return tx.rows<ShareLinkRow>(
    `select link_id as "linkId", l.name, filter, l.created_at as "createdAt", created_by as "createdBy",
       coalesce(u.name, u.forge_login) as "creatorName"
     from share_links l left join users u on u.user_id = l.created_by
     where integration_id = $1 order by l.created_at, link_id`,
    [integrationId],
  );
}

/** Returns the id of the new link. */
export async function insertShareLink(
  tx: Tx,
  integrationId: string,
  link: { secretHash: string; name: string; filter: WallFilter; createdBy: string },
): Promise<string> {
  const { rows } = await tx.query<{ link_id: string }>(
    `insert into share_links (integration_id, secret_hash, name, filter, created_by)
     values ($1, decode($2, 'hex'), $3, $4, $5) returning link_id`,
    [integrationId, link.secretHash, link.name, JSON.stringify(link.filter), link.createdBy],
  );
  return rows[0]!.link_id;
}

/** Returns the name of the deleted link; undefined when the integration has no such link. */
export function deleteShareLink(tx: Tx, integrationId: string, linkId: string): Promise<string | undefined> {
  return tx.value<string>(
    'delete from share_links where integration_id = $1 and link_id = $2 returning name',
    [integrationId, linkId],
  );
}

/** Serializes the creation of links of one integration, so that none exceeds the limit. */
export async function lockShareLinks(tx: Tx, integrationId: string): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('share links ' || $1, 0))`, [integrationId]);
}

/** The link whose secret has the hash in scope. */
export function findShareLink(tx: Tx): Promise<{ integrationId: string; filter: WallFilter } | undefined> {
  return tx.row<{ integrationId: string; filter: WallFilter }>(
    `select integration_id as "integrationId", filter from share_links
     where secret_hash = (select scope_secret_hash())`,
  );
}
