import type { CreatedPersonalToken, PersonalToken, PersonalTokenBody } from '#contract/members/api-tokens.ts';
import type { Database } from '#platform/database/database.ts';
import { invalidField } from '#platform/runtime/app-error.ts';
import type { Clock } from '#platform/runtime/clock.ts';
import { integrationIdsOf } from '#server/members/memberships-of-user.ts';
import {
  deletePersonalToken,
  deletePersonalTokens,
  endSockets,
  insertPersonalToken,
  listPersonalTokens,
  lockOwner,
  type PersonalTokenRow,
} from './store.ts';
import { hashOf, makeToken } from './token-format.ts';
import { endOfToken, noSuchToken, refuseOneMore, withTimes } from './token-rules.ts';

export async function readPersonalTokens(db: Database, userId: string): Promise<PersonalToken[]> {
  return (await db.withScope({ userId }, (tx) => listPersonalTokens(tx, userId))).map(tokenObject);
}

/**
 * Creates a token that acts as the person. The token itself is only in the result.
 * @throws AppError `token_limit_reached`; `invalid_request` for an integration that the person does not belong to
 */
export async function createPersonalToken(
  { db, clock }: { db: Database; clock: Clock },
  userId: string,
  { name, scopes, integrationIds, expiresAt }: PersonalTokenBody,
): Promise<CreatedPersonalToken> {
  const end = endOfToken(expiresAt, clock());
  const own = await integrationIdsOf(db, userId);
  if (integrationIds?.some((id) => !own.includes(id)))
    throw invalidField('integrationIds', 'must be integrations that you belong to');
  const token = makeToken();
  const row = await db.withScope({ userId }, async (tx) => {
    lockOwner(tx, userId);
    refuseOneMore(await listPersonalTokens(tx, userId));
    return insertPersonalToken(tx, userId, {
      hash: hashOf(token),
      name: name.trim(),
      // Who may write may read.
      scopes: scopes.includes('write') ? ['read', 'write'] : scopes,
      integrationIds: integrationIds ?? null,
      expiresAt: end,
    });
  });
  return { ...tokenObject(row), token };
}

/** Ends a token at once, with its sockets. @throws AppError `not_found` */
export async function revokePersonalToken(db: Database, userId: string, tokenId: string): Promise<void> {
  await db.withScope({ userId }, async (tx) => {
    if (!(await deletePersonalToken(tx, userId, tokenId))) throw noSuchToken();
    await endSockets(tx, tokenId);
  });
}

/** Ends all tokens of the person at once, with their sockets. Returns how many. */
export function revokePersonalTokens(db: Database, userId: string): Promise<number> {
  return db.withScope({ userId }, async (tx) => {
    // A token that is created at the same time is revoked, or created afterwards.
    lockOwner(tx, userId);
    const tokenIds = await deletePersonalTokens(tx, userId);
    for (const tokenId of tokenIds) await endSockets(tx, tokenId);
    return tokenIds.length;
  });
}

function tokenObject(row: PersonalTokenRow): PersonalToken {
  return withTimes(row);
}
