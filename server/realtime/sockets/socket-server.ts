import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { errorCodes } from '#contract/base/errors.ts';
import { isDatabaseAway } from '#platform/database/database-error.ts';
import { addressKey, makeRateLimiter } from '#platform/http/chain/rate-limiter.ts';
import { isLoopbackName } from '#platform/runtime/processes/loopback.ts';
import { makeAdmission } from '../handshake/admission.ts';
import { checkHandshake, type Accepted, type HandshakeRules, type Refusal } from '../handshake/handshake.ts';
import { recordConnection } from '../handshake/record-connection.ts';
import { refuse } from '../handshake/refuse.ts';
import { makeUpgrade } from '../handshake/upgrade.ts';
import { handleMessage } from './client-messages.ts';
import { Connection } from './connection.ts';
import type { SocketsDeps } from './sockets-deps.ts';
import type { Position } from './stream.ts';

interface Handshake extends Accepted {
  request: IncomingMessage;
  socket: Socket;
  head: Buffer;
}

type Admission = ReturnType<typeof makeAdmission>;
type Upgrade = ReturnType<typeof makeUpgrade>;

/** Handles the `upgrade` event of an HTTP server. Refuses handshakes with a plain HTTP status. */
export function makeSocketServer(deps: SocketsDeps) {
  const { hub, policy, addressOf } = deps;
  const admission = makeAdmission(policy);
  const upgrade = makeUpgrade(policy);
  const handshakes = makeRateLimiter(policy.handshakesPerAddress, policy.handshakeWindowMs);
  const rules: HandshakeRules = {
    ...deps,
    isWithinRateLimit: (request) => {
      const address = addressOf(request);
      // Loopback may be a local proxy for all clients.
      return isLoopbackName(address) || handshakes.count(addressKey(address)) === undefined;
    },
    isFull: () => admission.isFull(hub.connections.size),
    hasRoomFor: admission.hasRoomFor,
  };
  return {
    handleUpgrade: (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
      socket.on('error', destroyThis);
      const answer = checkHandshake(request, rules);
      if ('refusal' in answer) {
        const { refusal } = answer;
        const ws = refusal.closeCode === undefined ? undefined : upgrade(request, socket, head);
        if (ws === undefined) refuseSocket(deps, socket, refusal);
        else closeRefused(deps, ws, refusal);
      } else {
        void admit(deps, admission, upgrade, { ...answer.accepted, request, socket: socket as Socket, head });
      }
    },
  };
}

function refuseSocket({ log, path, metrics }: SocketsDeps, socket: Duplex, refusal: Refusal): void {
  if (!socket.writable) return;
  const { status } = errorCodes[refusal.code];
  metrics.refused(status);
  // Log neither query nor headers: they contain the token.
  log.debug({ path, status, reason: refusal.detail }, 'handshake refused');
  refuse(socket, refusal);
}

function closeRefused({ metrics }: SocketsDeps, ws: WebSocket, { code, closeCode, detail }: Refusal): void {
  metrics.refused(errorCodes[code].status);
  ws.on('error', () => ws.terminate());
  ws.close(closeCode, detail);
}

/** Opens the socket of an accepted handshake, unless the database refuses it or is not available. */
async function admit(
  deps: SocketsDeps,
  admission: Admission,
  upgrade: Upgrade,
  handshake: Handshake,
): Promise<void> {
  const { userId } = handshake.claims;
  const { socket } = handshake;
  const timeout = setTimeout(() => socket.destroy(), deps.policy.handshakeTimeoutMs);
  admission.begin(userId);
  let hasOpened = false;
  try {
    hasOpened = await open(deps, admission, upgrade, handshake);
  } catch (error) {
    deps.log[isDatabaseAway(error) ? 'warn' : 'error']({ err: error }, 'connection record failed');
    refuseSocket(deps, socket, databaseUnavailable);
  } finally {
    clearTimeout(timeout);
    admission.end(userId, hasOpened);
  }
}

/** True when the socket is open and in the hub. */
async function open(
  deps: SocketsDeps,
  admission: Admission,
  upgrade: Upgrade,
  { claims, request, socket, head, isControl }: Handshake,
): Promise<boolean> {
  const { hub, policy, records } = deps;
  const id = randomUUID();
  const startedAt = performance.now();
  const recorded = await recordConnection(deps, id, claims);
  const refusal = 'refusal' in recorded ? recorded.refusal : deps.isDraining() ? shuttingDown : undefined;
  const positions = 'positions' in recorded ? recorded.positions : new Map<string, Position>();
  const ws = refusal === undefined ? upgrade(request, socket, head) : undefined;
  if (ws === undefined) {
    records.disconnect({ id, integrationIds: positions.keys() });
    refuseSocket(deps, socket, refusal ?? shuttingDown);
    return false;
  }
  const connection = new Connection({ id, claims, isControl, ws, socket, policy });
  ws.on('message', (data, isBinary) => handleMessage(deps, connection, data as Buffer, isBinary))
    .on('pong', () => connection.receivePong())
    // `ws` answered the invalid frame with a close frame; the event `close` follows.
    .on('error', () => connection.leave())
    .on('close', () => {
      hub.remove(connection);
      admission.leave(claims.userId);
      records.disconnect(connection);
    });
  hub.add(connection, positions);
  connection.sendControl({ v: 1, type: 'hello', cursors: hub.positionsOf(connection) });
  deps.changes.checkSince(connection, startedAt);
  return true;
}

function destroyThis(this: Duplex): void {
  this.destroy();
}

const shuttingDown: Refusal = {
  code: 'try_again',
  detail: 'This node is shutting down.',
  retryAfterSeconds: 1,
};
const databaseUnavailable: Refusal = {
  code: 'try_again',
  detail: 'The database is not available.',
  retryAfterSeconds: 2,
};
