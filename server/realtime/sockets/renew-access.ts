import { closeCodes } from '#contract/runs/realtime.ts';
import { recordConnection } from '../handshake/record-connection.ts';
import type { TokenClaims } from '../handshake/ws-token.ts';
import type { Connection } from './connection.ts';
import type { SocketsDeps } from './sockets-deps.ts';

/**
 * Applies a new token to an open socket: its integrations replace the old ones and its age restarts. Answers with `hello`.
 */
export async function renewAccess(deps: SocketsDeps, connection: Connection, token: string): Promise<void> {
  const claims = deps.verify(token);
  if (claims === undefined) return deps.end(connection, closeCodes.expired, 'expired');
  if (claims.userId !== connection.userId) return deps.end(connection, closeCodes.forbidden, 'revoked');
  try {
    await renew(deps, connection, claims);
  } catch (error) {
    deps.log.warn({ err: error }, 'socket access renewal failed');
    deps.end(connection, closeCodes.restart, 'renewal-failed');
  }
}

async function renew(deps: SocketsDeps, connection: Connection, claims: TokenClaims): Promise<void> {
  const { hub, records, end } = deps;
  const { id } = connection;
  const startedAt = performance.now();
  const recorded = await recordConnection(deps, id, claims);
  if ('refusal' in recorded) {
    const isForbidden = recorded.refusal.code === 'insufficient_role';
    if (isForbidden) end(connection, closeCodes.forbidden, 'revoked');
    else end(connection, closeCodes.expired, 'expired');
    return;
  }
  const { positions } = recorded;
  if (!hub.connections.has(connection)) {
    records.disconnect({ id, integrationIds: positions.keys() });
    return;
  }
  const dropped = connection.integrationIds.filter((integrationId) => !positions.has(integrationId));
  hub.replace(connection, positions);
  connection.renew(claims);
  records.disconnect({ id, integrationIds: dropped });
  deps.changes.checkSince(connection, startedAt);
  connection.sendControl({ v: 1, type: 'hello', cursors: hub.positionsOf(connection) });
}
