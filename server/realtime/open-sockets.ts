import type { IncomingMessage } from 'node:http';
import type { Database } from '#platform/database/database.ts';
import { addressKey, makeRateLimiter } from '#platform/http/chain/rate-limiter.ts';
import type { Log } from '#platform/runtime/log.ts';
import { isLoopbackName } from '#platform/runtime/processes/loopback.ts';
import { integrationIdsOf } from '#server/members/memberships-of-user.ts';
import type { AccessChanges } from './connections/access-changes.ts';
import type { ConnectionRecords } from './connections/connection-records.ts';
import type { HandshakeRules } from './handshake/handshake.ts';
import type { LoadUpdates } from './outbox/read-missed.ts';
import type { RealtimePolicy } from './policy.ts';
import { makeClientMessages } from './sockets/client-messages.ts';
import type { Hub } from './sockets/hub.ts';
import type { RealtimeMetrics } from './sockets/metrics.ts';
import { renewAccess } from './sockets/renew-access.ts';
import { resume } from './sockets/resume.ts';
import { makeSocketServer } from './sockets/socket-server.ts';
import type { SweepDeps } from './sockets/sweep.ts';

export interface SocketsDeps {
  /** The database connections of the api role. */
  db: Database;
  log: Log;
  isSingleUse: boolean;
  allowedOrigins: readonly string[];
  path: string;
  loadUpdates: LoadUpdates;
  /** The client address used for rate limiting. Loopback is exempt. */
  addressOf(request: IncomingMessage): string;
}

export type Ends = Pick<SweepDeps, 'terminate' | 'end'>;

/** Both count why the server ends a connection. */
export function makeEnds(hub: Hub, metrics: RealtimeMetrics): Ends {
  return {
    terminate: (connection, reason) => {
      metrics.ended(reason);
      hub.remove(connection);
      connection.ws.terminate();
    },
    end: (connection, code, reason) => {
      if (!connection.isOpen) return;
      metrics.ended(reason);
      connection.close(code, reason);
    },
  };
}

interface Parts extends Pick<HandshakeRules, 'isDraining' | 'verify'> {
  hub: Hub;
  policy: RealtimePolicy;
  records: ConnectionRecords;
  metrics: RealtimeMetrics;
  changes: AccessChanges;
  ends: Ends;
}

/** Admits sockets and handles their messages. */
export function openSockets(
  { db, log, loadUpdates, path, allowedOrigins, isSingleUse, addressOf }: SocketsDeps,
  { hub, policy, records, metrics, changes, ends: { end }, isDraining, verify }: Parts,
) {
  const shared = {
    records,
    isSingleUse,
    integrationIdsOf: (userId: string) => integrationIdsOf(db, userId),
    hub,
    log,
    policy,
  };
  const handshakes = makeRateLimiter(policy.handshakesPerAddress, policy.handshakeWindowMs);
  return makeSocketServer({
    ...shared,
    rules: {
      path,
      allowedOrigins,
      isDraining,
      isWithinRateLimit: (request) => {
        const address = addressOf(request);
        // Loopback may be a local proxy for all clients.
        return isLoopbackName(address) || handshakes.count(addressKey(address)) === undefined;
      },
      verify,
    },
    onRefused: metrics.refused,
    onOpened: changes.checkSince,
    onMessage: makeClientMessages({
      policy,
      resume: (connection, cursors) => resume({ db, hub, loadUpdates, log, policy }, connection, cursors),
      renewAccess: (connection, token) =>
        renewAccess({ ...shared, verify, end, onRenewed: changes.checkSince }, connection, token),
      end,
    }),
  });
}
