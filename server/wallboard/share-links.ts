import { createHash, randomBytes } from 'node:crypto';
import {
  maxShareLinks,
  type CreatedShareLink,
  type ShareLink,
  type ShareLinkBody,
  type WallFilter,
} from '#contract/integrations/wallboard.ts';
import type { Database } from '#platform/database/database.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import { addLogEntry } from '#server/event-log/add-entry.ts';
import { withRole, type Actor } from '#server/members/locks/lock-member-role.ts';
import {
  deleteShareLink,
  findShareLink,
  insertShareLink,
  listShareLinks,
  lockShareLinks,
  type ShareLinkRow,
} from './share-link-store.ts';

export async function readShareLinks(db: Database, integrationId: string): Promise<ShareLink[]> {
  return (await db.withScope({ integrationId }, (tx) => listShareLinks(tx, integrationId))).map(linkObject);
}

/** The secret is only in the result. @throws AppError `share_link_limit_reached` */
export async function createShareLink(
  { db, publicUrl }: { db: Database; publicUrl: string },
  actor: Actor,
  { name, filter }: ShareLinkBody,
): Promise<CreatedShareLink> {
  const { integrationId, actorId } = actor;
  const secret = randomBytes(32).toString('base64url');
  return withRole(db, actor, 'admin', async (tx) => {
    await lockShareLinks(tx, integrationId);
    if ((await listShareLinks(tx, integrationId)).length >= maxShareLinks)
      throw new AppError('share_link_limit_reached', {
        detail: `The limit of ${maxShareLinks} share links is reached. Revoke one first.`,
      });
    const link = { secretHash: hashOf(secret), name: name.trim(), filter, createdBy: actorId };
    const linkId = await insertShareLink(tx, integrationId, link);
    await addLogEntry(tx, {
      ...actor,
      type: 'share_link.created',
      title: `The share link “${link.name}” of the wallboard was created`,
      details: { linkId, ...filter },
    });
    const row = (await listShareLinks(tx, integrationId)).find((each) => each.linkId === linkId);
    return { ...linkObject(row!), url: `${publicUrl}/wall/${integrationId}#${secret}` };
  });
}

/** Screens that show the link lose it at their next request. @throws AppError `not_found` */
export async function revokeShareLink(db: Database, actor: Actor, linkId: string): Promise<void> {
  const { integrationId } = actor;
  await withRole(db, actor, 'admin', async (tx) => {
    const name = await deleteShareLink(tx, integrationId, linkId);
    if (name === undefined) throw new AppError('not_found', { detail: 'Share link not found.' });
    await addLogEntry(tx, {
      ...actor,
      type: 'share_link.revoked',
      title: `The share link “${name}” of the wallboard was revoked`,
      details: { linkId },
    });
  });
}

/** What the link shows. @throws AppError `invalid_share_link` */
export async function openShareLink(
  db: Database,
  secret: string,
): Promise<{ integrationId: string; filter: WallFilter }> {
  const secretHash = hashOf(secret);
  const link = await db.withScope({ secretHash }, findShareLink);
  if (link === undefined)
    throw new AppError('invalid_share_link', { detail: 'The share link is incomplete or was revoked.' });
  return link;
}

function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

function linkObject({ createdAt, createdBy, creatorName, ...link }: ShareLinkRow): ShareLink {
  return {
    ...link,
    createdAt: createdAt.toISOString(),
    createdBy: createdBy === null ? null : { userId: createdBy, name: creatorName },
  };
}
