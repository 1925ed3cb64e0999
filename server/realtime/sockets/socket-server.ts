import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { errorCodes } from '#contract/errors.ts';
import { isDatabaseAway } from '#platform/database/database-error.ts';
import type { Log } from '#platform/runtime/log.ts';
import type { ConnectionRecords } from '../connection-records.ts';
import type { RealtimePolicy } from '../policy.ts';
import type { TokenClaims } from '../ws-token.ts';
import { makeAdmission } from './admission.ts';
import { Connection } from './connection.ts';
import { makeEntrance } from './entrance.ts';
import { checkHandshake, type Accepted, type HandshakeRules, type Refusal } from './handshake.ts';
import type { Hub } from './hub.ts';
import { refuse } from './refuse.ts';
import type { Position } from './stream.ts';
import { makeUpgrade } from './upgrade.ts';

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

interface Handshake extends Accepted {
  request: IncomingMessage;
  socket: Socket;
  head: Buffer;
}

/** Takes over the sockets of an HTTP server's `upgrade` event; answers what it refuses with a plain status. */
export function makeSocketServer(deps: SocketServerDeps) {
  const { hub, log, policy, records } = deps;
  const admission = makeAdmission(policy);
  const upgrade = makeUpgrade(policy);
  const rules: HandshakeRules = {
    ...deps.rules,
    isFull: () => admission.isFull(hub.connections.size),
    hasRoomFor: admission.hasRoomFor,
  };

  const enter = makeEntrance({
    hub,
    onMessage: deps.onMessage,
    onClosed: (connection) => {
      admission.leave(connection.userId);
      records.disconnect(connection);
    },
  });

  const refuseWith = (socket: Duplex, refusal: Refusal): void => {
    if (!socket.writable) return;
    const { status } = errorCodes[refusal.code];
    deps.onRefused(status);
    // Neither query nor headers: they hold the token.
    log.debug({ path: rules.path, status, reason: refusal.detail }, 'handshake refused');
    refuse(socket, refusal);
  };

  /** True when the socket is open and in the hub. */
  const admit = async (handshake: Handshake): Promise<boolean> => {
    const { claims, request, socket, head } = handshake;
    const id = randomUUID();
    const recorded = await record(deps, id, claims);
    const refusal = 'refusal' in recorded ? recorded.refusal : rules.isDraining() ? shuttingDown : undefined;
    const positions = 'positions' in recorded ? recorded.positions : new Map<string, Position>();
    const ws = refusal === undefined ? upgrade(request, socket, head) : undefined;
    if (ws === undefined) {
      records.disconnect({ id, integrationIds: positions.keys() });
      refuseWith(socket, refusal ?? shuttingDown);
      return false;
    }
    const { userId } = claims;
    const integrationIds = [...positions.keys()];
    const { isControl } = handshake;
    enter(ws, new Connection({ id, userId, isControl, integrationIds, ws, socket, policy }), positions);
    return true;
  };

  const run = async (handshake: Handshake): Promise<void> => {
    const { userId } = handshake.claims;
    const { socket } = handshake;
    const timeout = setTimeout(() => socket.destroy(), policy.handshakeTimeoutMs);
    admission.begin(userId);
    let hasOpened = false;
    try {
      hasOpened = await admit(handshake);
    } catch (error) {
      log[isDatabaseAway(error) ? 'warn' : 'error']({ err: error }, 'a socket could not be recorded');
      refuseWith(socket, databaseAway);
    } finally {
      clearTimeout(timeout);
      admission.end(userId, hasOpened);
    }
  };

  return {
    handleUpgrade: (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
      socket.on('error', destroyThis);
      const answer = checkHandshake(request, rules);
      if ('refusal' in answer) refuseWith(socket, answer.refusal);
      else void run({ ...answer.accepted, request, socket: socket as Socket, head });
    },
  };
}

function destroyThis(this: Duplex): void {
  this.destroy();
}

type Recorded = { positions: Map<string, Position> } | { refusal: Refusal };

/** Writes the connection's records: what the token grants and current memberships still allow. */
async function record(deps: SocketServerDeps, connectionId: string, claims: TokenClaims): Promise<Recorded> {
  const { userId, jti, expiresAt } = claims;
  const integrationIds =
    claims.integrationIds === 'all' ? await deps.integrationIdsOf(userId) : claims.integrationIds;
  if (integrationIds.length === 0 && !deps.isSingleUse && claims.integrationIds !== 'all') {
    return { positions: new Map() };
  }
  const use = deps.isSingleUse ? { use: { jti, expiresAt } } : {};
  const result = await deps.records.connect({ connectionId, userId, integrationIds, ...use });
  if (result.outcome === 'token-used') return { refusal: tokenUsed };
  const hasLostAll = claims.integrationIds.length > 0 && result.positions.size === 0;
  return hasLostAll ? { refusal: noMembership } : { positions: result.positions };
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
const tokenUsed: Refusal = {
  code: 'unauthenticated',
  detail: 'The token was used before. Fetch a new one.',
};
const noMembership: Refusal = {
  code: 'insufficient_role',
  detail: 'You belong to none of the integrations any more.',
};
