import type {
  CreatedIntegrationToken,
  IntegrationToken,
  IntegrationTokenBody,
  IntegrationTokenRole,
  TokenScope,
} from '#contract/members/api-tokens.ts';
import type { Database, Tx } from '#platform/database/database.ts';
import type { Clock } from '#platform/runtime/clock.ts';
import { addLogEntry } from '#server/event-log/add-entry.ts';
import { withRole, type Actor } from '#server/members/locks/lock-member-role.ts';
import {
  deleteIntegrationToken,
  endSockets,
  insertIntegrationToken,
  listIntegrationTokens,
  lockOwner,
  type IntegrationTokenRow,
} from './store.ts';
import { hashOf, makeToken } from './token-format.ts';
import { endOfToken, noSuchToken, refuseOneMore, withTimes } from './token-rules.ts';

export async function readIntegrationTokens(
  db: Database,
  integrationId: string,
): Promise<IntegrationToken[]> {
  return (await db.withScope({ integrationId }, (tx) => listIntegrationTokens(tx, integrationId))).map(
    tokenObject,
  );
}

/**
 * Creates a token that belongs to the integration. The token itself is only in the result.
 * @throws AppError `token_limit_reached`
 */
export async function createIntegrationToken(
  { db, clock }: { db: Database; clock: Clock },
  actor: Actor,
  body: IntegrationTokenBody,
): Promise<CreatedIntegrationToken> {
  return withRole(db, actor, 'admin', async (tx) => {
    return addIntegrationToken(tx, clock, { ...actor, body });
  });
}

/** As `createIntegrationToken`, for an operator (`actorId` null) or a person whose role was checked. */
export async function addIntegrationToken(
  tx: Tx,
  clock: Clock,
  {
    integrationId,
    actorId,
    body,
  }: { integrationId: string; actorId: string | null; body: IntegrationTokenBody },
): Promise<CreatedIntegrationToken> {
  const { expiresAt } = body;
  const { role, scopes } = rightsOf(body.role);
  const name = body.name.trim();
  const token = makeToken();
  const end = endOfToken(expiresAt, clock());
  lockOwner(tx, integrationId);
  refuseOneMore(await listIntegrationTokens(tx, integrationId));
  const created = { hash: hashOf(token), name, role, scopes, createdBy: actorId, expiresAt: end };
  const tokenId = await insertIntegrationToken(tx, integrationId, created);
  await addLogEntry(tx, {
    integrationId,
    type: 'token.created',
    title: `The API token “${name}” was created ${scopes.includes('reports') ? 'for test reports' : `as ${role}`}`,
    actorId,
    details: { tokenId, role, scopes, expiresAt: end.toISOString() },
  });
  const row = (await listIntegrationTokens(tx, integrationId)).find((each) => each.tokenId === tokenId);
  return { ...tokenObject(row!), token };
}

/** Uploading a report changes data, so its token has the role of a member and no other scope. */
function rightsOf(asked: IntegrationTokenBody['role']): { role: IntegrationTokenRole; scopes: TokenScope[] } {
  if (asked === 'reports') return { role: 'member', scopes: ['reports'] };
  return { role: asked, scopes: asked === 'member' ? ['read', 'write'] : ['read'] };
}

/** Ends a token at once, with its sockets. @throws AppError `not_found` */
export async function revokeIntegrationToken(db: Database, actor: Actor, tokenId: string): Promise<void> {
  const { integrationId } = actor;
  await withRole(db, actor, 'admin', async (tx) => {
    const name = await deleteIntegrationToken(tx, integrationId, tokenId);
    if (name === undefined) throw noSuchToken();
    await endSockets(tx, tokenId);
    await addLogEntry(tx, {
      ...actor,
      type: 'token.revoked',
      title: `The API token “${name}” was revoked`,
      details: { tokenId },
    });
  });
}

function tokenObject({ createdBy, creatorName, ...row }: IntegrationTokenRow): IntegrationToken {
  return {
    ...withTimes(row),
    createdBy: createdBy === null ? null : { userId: createdBy, name: creatorName },
  };
}
