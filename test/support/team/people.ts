import { randomUUID } from 'node:crypto';
import type { Role } from '#contract/members/roles.ts';
import { upsertUser, type SignedInUser } from '#server/identity/store.ts';
import { addMember, removeMembership } from '#server/members/access/memberships.ts';
import type { TestDatabase } from '../database/test-database.ts';

/** Creates a user as a first sign-in does. Returns the ID. */
export function addPerson(
  { api }: TestDatabase,
  { name, email, forgeLogin, forgeId }: Partial<SignedInUser> = {},
): Promise<string> {
  const key = { cognitoIdClaim: 'username', cognitoId: randomUUID() } as const;
  const claims = { name, email, picture: undefined, forgeLogin, forgeId, claimsIssuedAt: 0 };
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

/** Removes a member as an admin does, whatever the rules say. */
export function removeFromTeam({ api }: TestDatabase, integrationId: string, userId: string): Promise<void> {
  return api.withScope({ integrationId }, (tx) => removeMembership(tx, integrationId, userId));
}

/** Makes a person a member, or changes their role, whatever the rules say. */
export async function setRole(
  { asOwner }: TestDatabase,
  integrationId: string,
  userId: string,
  role: Role,
): Promise<void> {
  await asOwner(
    `insert into memberships (integration_id, user_id, role) values ($1, $2, $3)
     on conflict (integration_id, user_id) do update set role = excluded.role`,
    [integrationId, userId, role],
  );
}

/** Links a person to an account at the forge, as a sign-in through the forge does. */
export async function linkAccount({ asOwner }: TestDatabase, userId: string, forgeId: number): Promise<void> {
  await asOwner('update users set forge_id = $2 where user_id = $1', [userId, forgeId]);
}
