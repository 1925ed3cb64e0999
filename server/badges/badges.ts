import { randomBytes } from 'node:crypto';
import { maxBadges, type Badge, type BadgeBody } from '#contract/integrations/badges.ts';
import type { Database } from '#platform/database/database.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import { addLogEntry } from '#server/event-log/add-entry.ts';
import { withRole, type Actor } from '#server/members/locks/lock-member-role.ts';
import { readShownNames } from '#server/runs/names/shown-names.ts';
import { hasRun } from '#server/runs/read-run.ts';
import { deleteBadge, insertBadge, listBadges, lockBadges, type BadgeRow } from './store.ts';

export interface BadgeDeps {
  db: Database;
  publicUrl: string;
}

export async function readBadges({ db, publicUrl }: BadgeDeps, integrationId: string): Promise<Badge[]> {
  const rows = await db.withScope({ integrationId }, (tx) => listBadges(tx, integrationId));
  return rows.map((row) => badgeObject(publicUrl, row));
}

/**
 * Makes the state of a workflow public.
 * @throws AppError `not_found` for a workflow without a run; `conflict` when it has a badge for the branch;
 *   `badge_limit_reached`
 */
export async function createBadge(
  { db, publicUrl }: BadgeDeps,
  actor: Actor,
  body: BadgeBody,
): Promise<Badge> {
  const { integrationId, actorId } = actor;
  return withRole(db, actor, 'admin', async (tx) => {
    await lockBadges(tx, integrationId);
    if ((await listBadges(tx, integrationId)).length >= maxBadges)
      throw new AppError('badge_limit_reached', {
        detail: `The limit of ${maxBadges} badges is reached. Remove one first.`,
      });
    if (!(await hasRun(tx, integrationId, body)))
      throw new AppError('not_found', { detail: 'The repository has no run of this workflow.' });
    const badgeId = randomBytes(16).toString('base64url');
    if (!(await insertBadge(tx, integrationId, { ...body, badgeId, createdBy: actorId })))
      throw new AppError('conflict', { detail: 'The workflow already has a badge for this branch.' });
    const names = await readShownNames(tx, [integrationId]);
    const shown = names.show(integrationId, { branch: null, ...body });
    await addLogEntry(tx, {
      ...actor,
      type: 'badge.created',
      title: `The state of ${subjectOf(shown)} was made public by a badge`,
      details: shown,
    });
    const row = (await listBadges(tx, integrationId)).find((each) => each.badgeId === badgeId);
    return badgeObject(publicUrl, row!);
  });
}

/** The image disappears at once, except from caches (one minute). @throws AppError `not_found` */
export async function removeBadge(db: Database, actor: Actor, badgeId: string): Promise<void> {
  const { integrationId } = actor;
  await withRole(db, actor, 'admin', async (tx) => {
    const deleted = await deleteBadge(tx, integrationId, badgeId);
    if (deleted === undefined) throw new AppError('not_found', { detail: 'Badge not found.' });
    const removed = (await readShownNames(tx, [integrationId])).show(integrationId, deleted);
    await addLogEntry(tx, {
      ...actor,
      type: 'badge.removed',
      title: `The badge of ${subjectOf(removed)} was removed`,
      details: { ...removed },
    });
  });
}

function subjectOf({ repository, workflow, branch }: Pick<BadgeRow, 'repository' | 'workflow' | 'branch'>) {
  return `${workflow} of ${repository} on ${branch ?? 'the default branch'}`;
}

function badgeObject(
  publicUrl: string,
  { badgeId, createdAt, createdBy, creatorName, ...subject }: BadgeRow,
): Badge {
  return {
    badgeId,
    ...subject,
    createdAt: createdAt.toISOString(),
    createdBy: createdBy === null ? null : { userId: createdBy, name: creatorName },
    imageUrl: `${publicUrl}/badge/${badgeId}.svg`,
    endpointUrl: `${publicUrl}/badge/${badgeId}.json`,
  };
}
