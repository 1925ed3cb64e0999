import type { Database } from '#platform/database/database.ts';
import { integrationIdsOf } from '#server/members/memberships-of-user.ts';
import type { ConnectionRecords } from '#server/realtime/connections/connection-records.ts';
import type { TokenClaims } from './ws-token.ts';
import type { Refusal } from './handshake.ts';
import type { Position } from '#server/realtime/sockets/stream.ts';

export interface RecordConnectionDeps {
  /** The database connections of the api role. */
  db: Database;
  records: ConnectionRecords;
}

export type Recorded = { positions: Map<string, Position> } | { refusal: Refusal };

/** Records the integrations that both the token and current memberships allow. */
export async function recordConnection(
  deps: RecordConnectionDeps,
  connectionId: string,
  claims: TokenClaims,
): Promise<Recorded> {
  const { userId, sessionId, issuedAt } = claims;
  const integrationIds =
    claims.integrationIds === 'all' ? await integrationIdsOf(deps.db, userId) : claims.integrationIds;
  const result = await deps.records.connect({
    connectionId,
    userId,
    sessionId,
    issuedAt,
    integrationIds,
  });
  if (result.outcome === 'signed-out') return { refusal: signedOut };
  const hasLostAll = claims.integrationIds.length > 0 && result.positions.size === 0;
  return hasLostAll ? { refusal: noMembership } : { positions: result.positions };
}

const signedOut: Refusal = {
  code: 'unauthenticated',
  detail: 'The session was signed out. Sign in again.',
};
const noMembership: Refusal = {
  code: 'insufficient_role',
  detail: 'You are no longer a member of these integrations.',
};
