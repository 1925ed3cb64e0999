import type { Member, MemberPage, MemberQuery } from '#contract/members/members.ts';
import { atLeast, type Role } from '#contract/members/roles.ts';
import type { Database } from '#platform/database/database.ts';
import { decodeCursor, defaultLimit, cursorAfter } from '#platform/http/page-cursor.ts';
import type { Actor } from './locks/lock-member-role.ts';
import { findRole, listMembers, type MemberRow } from './store.ts';

/** Members in the order they joined. Only admins and the owner see email addresses. */
export async function readMembers(
  db: Database,
  { integrationId, actorId }: Actor,
  { limit = defaultLimit, cursor }: MemberQuery,
): Promise<MemberPage> {
  const after = cursor === undefined ? undefined : decodeCursor(cursor, 'uuid');
  const [role = 'viewer', rows] = await db.withScope({ integrationId }, (tx) =>
    Promise.all([findRole(tx, integrationId, actorId), listMembers(tx, integrationId, after, limit + 1)]),
  );
  return {
    items: rows.slice(0, limit).map((row) => memberObject(row, role)),
    nextCursor: cursorAfter(rows, limit, (row) => row.user_id),
  };
}

function memberObject(row: MemberRow, roleOfReader: Role): Member {
  return {
    role: row.role,
    source: row.source,
    joinedAt: row.created_at.toISOString(),
    user: {
      userId: row.user_id,
      name: row.name,
      forgeLogin: row.forge_login,
      picture: row.picture,
      email: atLeast(roleOfReader, 'admin') ? row.email : null,
    },
  };
}
