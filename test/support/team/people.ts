import { randomUUID } from 'node:crypto';
import type { Role } from '#contract/members/roles.ts';
import { upsertUser, type SignedInUser } from '#server/identity/store.ts';
import { insertPendingMembers } from '#server/members/access/organization-store.ts';
import { addMember, removeMembership, setRole as setMemberRole } from '#server/members/access/memberships.ts';
import { roleIn } from '#server/members/memberships-of-user.ts';
import { updateRows } from '../database/rows.ts';
import type { TestDatabase } from '../database/test-database.ts';

/** Creates a user as a first sign-in does. Returns the ID. */
export function addPerson(
  { api }: TestDatabase,
  { name, email, forgeLogin, forgeId, claimsIssuedAt = 0 }: Partial<SignedInUser> = {},
): Promise<string> {
  const key = { cognitoIdClaim: 'username', cognitoId: randomUUID() } as const;
  const claims = { name, email, picture: undefined, forgeLogin, forgeId, claimsIssuedAt };
  return upsertUser(api, { ...key, ...claims });
}

export function addToTeam(
  { api }: TestDatabase,
  integrationId: string,
  userId: string,
  role: Role,
): Promise<void> {
  return api.withScope({ integrationId }, (tx) =>
    addMember(tx, { integrationId, userId, role, source: 'manual' }),
  );
}

/** A new person who may see these integrations. */
export async function makeMember(database: TestDatabase, integrationIds: readonly string[]): Promise<string> {
  const userId = await addPerson(database);
  for (const integrationId of integrationIds) await addToTeam(database, integrationId, userId, 'viewer');
  return userId;
}

/** As member sync adds a membership of a forge account that nobody has signed in with. */
export function addPending(
  { worker }: TestDatabase,
  integrationId: string,
  forgeId: number | string,
  role: Role,
): Promise<void> {
  return worker.withScope({ integrationId }, (tx) =>
    insertPendingMembers(tx, integrationId, [String(forgeId)], role),
  );
}

/** Removes a member as an admin does, whatever the rules say. */
export function removeFromTeam({ api }: TestDatabase, integrationId: string, userId: string): Promise<void> {
  return api.withScope({ integrationId }, (tx) => removeMembership(tx, integrationId, userId));
}

/** Makes a person a member, or changes their role, whatever the rules say. */
export async function setRole(
  { api }: TestDatabase,
  integrationId: string,
  userId: string,
  role: Role,
): Promise<void> {
  await api.withScope({ integrationId }, async (tx) => {
    const isMember = (await roleIn(tx, integrationId, userId)) !== undefined;
    if (isMember) await setMemberRole(tx, integrationId, userId, role);
    else await addMember(tx, { integrationId, userId, role, source: 'manual' });
  });
}

/** Links a person to an account at the forge, as a sign-in through the forge does. */
export const linkAccount = (
  database: TestDatabase,
  userId: string,
  forgeId: number,
  forgeLogin?: string,
): Promise<void> => {
  const account = { forge_id: forgeId, ...(forgeLogin === undefined ? {} : { forge_login: forgeLogin }) };
  return updateRows(database, 'users', account, { user_id: userId });
};
