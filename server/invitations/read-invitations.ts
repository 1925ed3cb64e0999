import type { Invitation, InvitationPage, InvitationQuery } from '#contract/members/invitations.ts';
import { atLeast, type Role } from '#contract/members/roles.ts';
import type { Database } from '#platform/database/database.ts';
import { decodeCursor, defaultLimit, cursorAfter } from '#platform/http/page-cursor.ts';
import type { Actor } from '#server/members/locks/lock-member-role.ts';
import { roleIn } from '#server/members/memberships-of-user.ts';
import { maskEmail } from './rules.ts';
import { listInvitations, type InvitationRow } from './store.ts';

/** Newest first; addresses are masked for those who do not manage members. */
export async function readInvitations(
  db: Database,
  { integrationId, actorId }: Actor,
  { limit = defaultLimit, cursor, status }: InvitationQuery,
): Promise<InvitationPage> {
  const after = cursor === undefined ? undefined : decodeCursor(cursor, 'uuid');
  const list = { openOnly: status !== 'all', after, limit: limit + 1 };
  const [role = 'viewer', rows] = await db.withScope({ integrationId }, (tx) =>
    Promise.all([roleIn(tx, integrationId, actorId), listInvitations(tx, integrationId, list)]),
  );
  return {
    items: rows.slice(0, limit).map((row) => invitationObject(row, role)),
    nextCursor: cursorAfter(rows, limit, (row) => row.invitation_id),
  };
}

/** As somebody with this role sees it. */
export function invitationObject(row: InvitationRow, roleOfReader: Role): Invitation {
  const seesAddress = row.email === null || atLeast(roleOfReader, 'admin');
  return {
    invitationId: row.invitation_id,
    email: seesAddress ? row.email : maskEmail(row.email ?? ''),
    role: row.role,
    status: row.status === 'pending' && row.is_expired ? 'expired' : row.status,
    invitedBy: { userId: row.invited_by, name: row.inviter_name },
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at.toISOString(),
  };
}
