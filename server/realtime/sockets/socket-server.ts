import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import { errorCodes } from '#contract/errors.ts';
import { controlProtocol } from '#contract/realtime.ts';
import { isDatabaseAway } from '#platform/database/database-error.ts';
import type { Log } from '#platform/runtime/log.ts';
import { Connection } from './connection.ts';
import type { ConnectionRecords } from '../connection-records.ts';
import { checkHandshake, type Accepted, type HandshakeRules, type Refusal } from './handshake.ts';
import type { Hub } from './hub.ts';
import type { RealtimePolicy } from '../policy.ts';
import { refuse } from './refuse.ts';
import type { Position } from './stream.ts';

export interface SocketServerDeps {
  hub: Hub;
  records: ConnectionRecords;
  log: Log;
  policy: RealtimePolicy;
  rules: Pick<HandshakeRules, 'path' | 'allowedOrigins' | 'isDraining' | 'mayTry' | 'verify'>;
  isSingleUse: boolean;
  /** Resolves `all` in a token. */
  integrationIdsOf(userId: string): Promise<string[]>;
  onRefused(status: number): void;
  onMessage(connection: Connection, data: Buffer, isBinary: boolean): void;
}

export interface SocketServer {
  /** Takes over the sockets of an HTTP server's `upgrade` event; answers what it refuses with a plain status. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/** From an upgrade request to a socket in the hub, and out of it when the socket closes. */
export function makeSocketServer(deps: SocketServerDeps): SocketServer {
  const { hub, log, policy, records } = deps;
  const byUser = new Map<string, number>();
  let pending = 0;
  const upgrader = makeUpgrader(policy);
  const rules: HandshakeRules = {
    ...deps.rules,
    isFull: () =>
      hub.connections.size + pending >= policy.maxConnections || pending >= policy.maxPendingHandshakes,
    hasRoomFor: (userId) => (byUser.get(userId) ?? 0) < policy.maxConnectionsPerUser,
  };

  const refuseWith = (socket: Duplex, refusal: Refusal): void => {
    const { status } = errorCodes[refusal.code];
    deps.onRefused(status);
    // Neither query nor headers: they hold the token.
    log.debug({ path: rules.path, status, reason: refusal.detail }, 'handshake refused');
    refuse(socket, refusal);
  };

  const count = (userId: string, change: 1 | -1): void => {
    const connections = (byUser.get(userId) ?? 0) + change;
    if (connections === 0) byUser.delete(userId);
    else byUser.set(userId, connections);
  };

  const open = (
    ws: WebSocket,
    socket: Socket,
    id: string,
    accepted: Accepted,
    positions: Map<string, Position>,
  ) => {
    const { claims, isControl } = accepted;
    const integrationIds = [...positions.keys()];
    const connection = new Connection({
      id,
      userId: claims.userId,
      isControl,
      integrationIds,
      ws,
      socket,
      policy,
    });
    ws.on('message', (data: Buffer, isBinary: boolean) => deps.onMessage(connection, data, isBinary));
    ws.on('pong', () => connection.sawPong());
    // `close` follows each error.
    ws.on('error', () => {});
    ws.once('close', () => {
      hub.remove(connection);
      count(claims.userId, -1);
      records.disconnect(connection);
    });
    hub.add(connection, positions);
    if (isControl) connection.tell({ v: 1, type: 'hello', cursors: hub.positionsOf(connection) });
  };

  const admit = async (
    request: IncomingMessage,
    socket: Socket,
    head: Buffer,
    accepted: Accepted,
  ): Promise<void> => {
    const { claims } = accepted;
    const id = randomUUID();
    const integrationIds =
      claims.integrationIds === 'all' ? await deps.integrationIdsOf(claims.userId) : claims.integrationIds;
    const use = deps.isSingleUse ? { use: { jti: claims.jti, expiresAt: claims.expiresAt } } : {};
    const needsRecord = integrationIds.length > 0 || deps.isSingleUse;
    const result = needsRecord
      ? await records.connect({ connectionId: id, userId: claims.userId, integrationIds, ...use })
      : { outcome: 'recorded' as const, positions: new Map<string, Position>() };
    const positions = result.outcome === 'recorded' ? result.positions : new Map<string, Position>();
    const refusal = refusalOf(result.outcome, claims.integrationIds.length > 0 && positions.size === 0);
    const isOpen = refusal === undefined && !rules.isDraining() && !socket.destroyed;
    const ws = isOpen ? upgrader(request, socket, head) : undefined;
    if (ws !== undefined) return open(ws, socket, id, accepted, positions);
    count(claims.userId, -1);
    records.disconnect({ id, integrationIds: positions.keys() });
    if (socket.writable) refuseWith(socket, refusal ?? shuttingDown);
  };

  return {
    handleUpgrade: (request, socket, head) => {
      const onError = (): void => void socket.destroy();
      socket.on('error', onError);
      const answer = checkHandshake(request, rules);
      if ('refusal' in answer) {
        refuseWith(socket, answer.refusal);
        return;
      }
      pending += 1;
      count(answer.accepted.claims.userId, 1);
      const timeout = setTimeout(() => socket.destroy(), policy.handshakeTimeoutMs);
      void admit(request, socket as Socket, head, answer.accepted)
        .catch((error: unknown) => {
          count(answer.accepted.claims.userId, -1);
          log[isDatabaseAway(error) ? 'warn' : 'error']({ err: error }, 'a socket could not be recorded');
          if (socket.writable) refuseWith(socket, databaseAway);
        })
        .finally(() => {
          clearTimeout(timeout);
          pending -= 1;
          socket.removeListener('error', onError);
        });
    },
  };
}

const shuttingDown: Refusal = {
  code: 'try_again',
  detail: 'This node is shutting down.',
  retryAfterSeconds: 1,
};
const databaseAway: Refusal = {
  code: 'try_again',
  detail: 'The database does not answer.',
  retryAfterSeconds: 2,
};

function refusalOf(outcome: 'recorded' | 'token-used', hasLostAll: boolean): Refusal | undefined {
  if (outcome === 'token-used')
    return { code: 'unauthenticated', detail: 'The token was used before. Fetch a new one.' };
  if (hasLostAll)
    return { code: 'insufficient_role', detail: 'You belong to none of the integrations any more.' };
  return undefined;
}

/** Completes the upgrade; undefined when the client has gone meanwhile. */
function makeUpgrader(policy: RealtimePolicy) {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: policy.maxClientMessageBytes,
    maxFragments: policy.maxFragments,
    maxBufferedChunks: policy.maxFragments,
    closeTimeout: policy.closeTimeoutMs,
    handleProtocols: (offered) => offered.has(controlProtocol) && controlProtocol,
  } as ConstructorParameters<typeof WebSocketServer>[0]);
  return (request: IncomingMessage, socket: Socket, head: Buffer): WebSocket | undefined => {
    let opened: WebSocket | undefined;
    server.handleUpgrade(request, socket, head, (ws) => {
      opened = ws;
    });
    return opened;
  };
}
