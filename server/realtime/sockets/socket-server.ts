import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { errorCodes } from '#contract/base/errors.ts';
import { isDatabaseAway } from '#platform/database/database-error.ts';
import type { Log } from '#platform/runtime/log.ts';
import type { RealtimePolicy } from '../policy.ts';
import { makeAdmission } from '#server/realtime/handshake/admission.ts';
import { Connection } from './connection.ts';
import { makeAttachSocket } from '#server/realtime/handshake/attach-socket.ts';
import {
  checkHandshake,
  type Accepted,
  type HandshakeRules,
  type Refusal,
} from '#server/realtime/handshake/handshake.ts';
import type { Hub } from './hub.ts';
import { recordConnection, type RecordConnectionDeps } from '#server/realtime/handshake/record-connection.ts';
import { refuse } from '#server/realtime/handshake/refuse.ts';
import type { Position } from './stream.ts';
import { makeUpgrade, type LiveSocket } from '#server/realtime/handshake/upgrade.ts';

export interface SocketServerDeps extends RecordConnectionDeps {
  hub: Hub;
  log: Log;
  policy: RealtimePolicy;
  rules: Pick<HandshakeRules, 'path' | 'allowedOrigins' | 'isDraining' | 'isWithinRateLimit' | 'verify'>;
  onRefused(status: number): void;
  /** `startedAt`: start of the handshake, in milliseconds of `performance.now()`. */
  onOpened(connection: Connection, startedAt: number): void;
  onMessage(connection: Connection, data: Buffer, isBinary: boolean): void;
}

interface Handshake extends Accepted {
  request: IncomingMessage;
  socket: Socket;
  head: Buffer;
}

/** Handles the `upgrade` event of an HTTP server. Refuses handshakes with a plain HTTP status. */
export function makeSocketServer(deps: SocketServerDeps) {
  const { hub, policy } = deps;
  const admission = makeAdmission(policy);
  const upgrade = makeUpgrade(policy);
  const rules: HandshakeRules = {
    ...deps.rules,
    isFull: () => admission.isFull(hub.connections.size),
    hasRoomFor: admission.hasRoomFor,
  };
  const refusals = makeRefusals(deps);
  const admit = makeAdmit(deps, { admission, upgrade, refusals });
  return {
    handleUpgrade: (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
      socket.on('error', destroyThis);
      const answer = checkHandshake(request, rules);
      if ('refusal' in answer) {
        const { refusal } = answer;
        const ws = refusal.closeCode === undefined ? undefined : upgrade(request, socket, head);
        if (ws === undefined) refusals.refuse(socket, refusal);
        else refusals.close(ws, refusal);
      } else void admit({ ...answer.accepted, request, socket: socket as Socket, head });
    },
  };
}

function makeRefusals({ log, rules: { path }, onRefused }: SocketServerDeps) {
  return {
    refuse: (socket: Duplex, refusal: Refusal): void => {
      if (!socket.writable) return;
      const { status } = errorCodes[refusal.code];
      onRefused(status);
      // Log neither query nor headers: they contain the token.
      log.debug({ path, status, reason: refusal.detail }, 'handshake refused');
      refuse(socket, refusal);
    },
    close: (ws: LiveSocket, { code, closeCode, detail }: Refusal): void => {
      onRefused(errorCodes[code].status);
      ws.on('error', () => ws.terminate());
      ws.close(closeCode, detail);
    },
  };
}

interface AdmitParts {
  admission: ReturnType<typeof makeAdmission>;
  upgrade: ReturnType<typeof makeUpgrade>;
  refusals: ReturnType<typeof makeRefusals>;
}

/** Opens the socket of an accepted handshake, unless the database refuses it or is not available. */
function makeAdmit(deps: SocketServerDeps, { admission, upgrade, refusals }: AdmitParts) {
  const { hub, log, policy, records, rules } = deps;
  const attachSocket = makeAttachSocket({
    hub,
    onMessage: deps.onMessage,
    onClosed: (connection) => {
      admission.leave(connection.userId);
      records.disconnect(connection);
    },
  });
  /** True when the socket is open and in the hub. */
  const open = async (handshake: Handshake): Promise<boolean> => {
    const { claims, request, socket, head, isControl } = handshake;
    const id = randomUUID();
    const startedAt = performance.now();
    const recorded = await recordConnection(deps, id, claims);
    const refusal = 'refusal' in recorded ? recorded.refusal : rules.isDraining() ? shuttingDown : undefined;
    const positions = 'positions' in recorded ? recorded.positions : new Map<string, Position>();
    const ws = refusal === undefined ? upgrade(request, socket, head) : undefined;
    if (ws === undefined) {
      records.disconnect({ id, integrationIds: positions.keys() });
      refusals.refuse(socket, refusal ?? shuttingDown);
      return false;
    }
    const connection = new Connection({ id, claims, isControl, ws, socket, policy });
    attachSocket(ws, connection, positions);
    deps.onOpened(connection, startedAt);
    return true;
  };
  return async (handshake: Handshake): Promise<void> => {
    const { userId } = handshake.claims;
    const { socket } = handshake;
    const timeout = setTimeout(() => socket.destroy(), policy.handshakeTimeoutMs);
    admission.begin(userId);
    let hasOpened = false;
    try {
      hasOpened = await open(handshake);
    } catch (error) {
      log[isDatabaseAway(error) ? 'warn' : 'error']({ err: error }, 'connection record failed');
      refusals.refuse(socket, databaseUnavailable);
    } finally {
      clearTimeout(timeout);
      admission.end(userId, hasOpened);
    }
  };
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
