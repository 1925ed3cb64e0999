import { ChangeRoleBody, MemberPage, MemberQuery, TransferOwnershipBody } from '#contract/members/members.ts';
import type { Database } from '#platform/database/database.ts';
import { route, type Route } from '#server/route.ts';
import { changeRole } from './change-role.ts';
import { leaveIntegration } from './leave-integration.ts';
import { readMembers } from './read-members.ts';
import { removeMember } from './remove-member.ts';
import { transferOwnership } from './transfer-ownership.ts';

const base = '/api/integrations/:integrationId';

export interface MemberRoutesDeps {
  db: Database;
  /** INTEGRATIONS_PER_PERSON. */
  maxOwned: number;
}

export function memberRoutes(deps: MemberRoutesDeps): Route[] {
  return [...manageRoutes(deps), ...ownRoutes(deps)];
}

function manageRoutes({ db }: MemberRoutesDeps): Route[] {
  return [
    route('GET', `${base}/members`, {
      access: { role: 'viewer' },
      summary: 'List members in the order they joined; only admins and the owner see addresses',
      query: MemberQuery,
      answer: { schema: MemberPage },
      handle: ({ actor, query }) => readMembers(db, actor, query),
    }),
    route('PATCH', `${base}/members/:userId`, {
      access: { role: 'admin' },
      summary: 'Change the role of a member; only the owner can change admins, and nobody their own role',
      body: ChangeRoleBody,
      errors: [
        'own_role_not_changeable',
        'owner_not_assignable',
        'owner_not_removable',
        'admin_not_manageable',
      ],
      answer: { status: 204 },
      handle: ({ actor, params: { userId }, body: { role } }) => changeRole(db, actor, { userId, role }),
    }),
    route('DELETE', `${base}/members/:userId`, {
      access: { role: 'admin' },
      summary: 'Remove a member and close their sockets; only the owner can remove admins',
      errors: ['owner_not_removable', 'admin_not_manageable'],
      answer: { status: 204 },
      handle: ({ actor, params: { userId } }) => removeMember(db, actor, userId),
    }),
  ];
}

/** What members do with their own membership. */
function ownRoutes({ db, maxOwned }: MemberRoutesDeps): Route[] {
  return [
    route('POST', `${base}/leave`, {
      access: { role: 'viewer', by: 'person' },
      summary: 'Leave the integration; the owner must transfer the ownership first',
      errors: ['owner_cannot_leave'],
      answer: { status: 204 },
      handle: ({ actor }) => leaveIntegration(db, actor),
    }),
    route('POST', `${base}/transfer-ownership`, {
      access: { role: 'owner' },
      summary: 'Transfer the ownership to a member; the previous owner becomes an admin',
      body: TransferOwnershipBody,
      errors: ['not_found', 'conflict', 'integration_limit_reached'],
      answer: { status: 204 },
      handle: ({ actor, body: { userId } }) => transferOwnership(db, actor, { userId, maxOwned }),
    }),
  ];
}
