import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { Registry } from 'prom-client';
import { closeCodes } from '#contract/runs/realtime.ts';
import type { Database } from '#platform/database/database.ts';
import type { Listener } from '#platform/database/listener.ts';
import { addressKey, makeRateLimiter } from '#platform/http/chain/rate-limiter.ts';
import { systemClock, type Clock } from '#platform/runtime/clock.ts';
import type { Log } from '#platform/runtime/log.ts';
import { isLoopbackName } from '#platform/runtime/processes/loopback.ts';
import { repeat } from '#platform/runtime/tasks/repeat.ts';
import type { Service } from '#platform/runtime/service.ts';
import { integrationIdsOf } from '#server/members/memberships-of-user.ts';
import { followAccessChanges } from './connections/access-changes.ts';
import type { CommittedUpdate } from './outbox/append-updates.ts';
import { channel, newNodePayload } from './outbox/channel.ts';
import { makeClientMessages } from './sockets/client-messages.ts';
import type { Connection } from './sockets/connection.ts';
import { makeConnectionRecords } from './connections/connection-records.ts';
import { drainConnections } from './sockets/drain.ts';
import { makeFollower, type Follower } from './outbox/follow-streams.ts';
import { Hub } from './sockets/hub.ts';
import { makeRealtimeMetrics, type EndReason } from './sockets/metrics.ts';
import { makeNodeLease, type NodeLease } from './connections/node-lease.ts';
import { realtimePolicy, type RealtimePolicy } from './policy.ts';
import type { LoadUpdates } from './outbox/read-missed.ts';
import { renewAccess } from './sockets/renew-access.ts';
import { resume } from './sockets/resume.ts';
import { makeSocketServer } from './sockets/socket-server.ts';
import { sweep } from './sockets/sweep.ts';
import { makeTokens, type TokenGrant } from '#server/realtime/handshake/ws-token.ts';

export interface RealtimeDeps {
  /** The database connections of the api role. */
  db: Database;
  /** The caller starts it afterwards. */
  listener: Listener;
  log: Log;
  metrics: Registry;
  /** Master keys for tokens: the first one signs, all verify. */
  tokenKeys: readonly Buffer[];
  isSingleUse: boolean;
  /** PUBLIC_URL. Tokens of other deployments are refused. */
  audience: string;
  allowedOrigins: readonly string[];
  /** The path of the WebSocket URL. */
  path: string;
  loadUpdates: LoadUpdates;
  clock?: Clock;
  policy?: RealtimePolicy;
  /** The client address used for rate limiting. Loopback is exempt. */
  addressOf(request: IncomingMessage): string;
}

export interface Realtime {
  /** `start` registers the node. `stop` drains it first. */
  service: Service;
  /** Handles the `upgrade` event of an HTTP server. Answers every request. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  mintToken(grant: TokenGrant): {
    token: string;
    expiresAt: string;
  };
  /** Delivers updates that this process committed. */
  deliver(messages: readonly CommittedUpdate[]): void;
  /** True while no other node is known to be alive. */
  isOnlyNode(): boolean;
  /** Refuses new sockets and closes the open ones over time. Heartbeats continue until `stop`. */
  drain(): Promise<void>;
  isDraining(): boolean;
}

/** Sent by other modules in their transactions, with the id of an integration: what clients reload. */
const announcements = [
  ['incidents_changed', 'incidents.changed'],
  ['pull_requests_changed', 'pull-requests.changed'],
] as const;

/** Makes a node: the sockets of this process and the services that keep them up to date. */
export function makeRealtime(deps: RealtimeDeps): Realtime {
  const { db, listener, log, loadUpdates, policy = realtimePolicy, clock = systemClock } = deps;
  const nodeId = randomUUID();
  const tokens = makeTokens({ keys: deps.tokenKeys, audience: deps.audience, policy });
  const handshakes = makeRateLimiter(policy.handshakesPerAddress, policy.handshakeWindowMs);
  const hub = new Hub({
    policy,
    onBehind: (integrationId) => follower.touch(integrationId),
    onWritten: (messages, sockets, at) => metrics.delivered(messages, sockets, at),
    onRevoked: (connection, integrationId) => {
      records.disconnect({ id: connection.id, integrationIds: [integrationId] });
      connection.sendControl({ v: 1, type: 'access.revoked', integrationId });
      if (connection.integrationIds.length === 0) end(connection, closeCodes.forbidden, 'revoked');
    },
  });
  const metrics = makeRealtimeMetrics(deps.metrics, () => hub.connections);
  const follower = makeFollower({ db, hub, loadUpdates, log, policy });
  const lease = makeNodeLease({ db, nodeId, log, policy, onLost: () => records.rewrite(hub.connections) });
  const records = makeConnectionRecords({ db, nodeId, log, policy, renewNode: lease.renew });
  let draining: Promise<void> | undefined;

  const terminate = (connection: Connection, reason: EndReason): void => {
    metrics.ended(reason);
    hub.remove(connection);
    connection.ws.terminate();
  };
  const end = (connection: Connection, code: number, reason: EndReason): void => {
    if (!connection.isOpen) return;
    metrics.ended(reason);
    connection.close(code, reason);
  };
  const access = {
    records,
    isSingleUse: deps.isSingleUse,
    integrationIdsOf: (userId: string) => integrationIdsOf(db, userId),
  };
  const verify = (token: string) => tokens.verify(token, clock());
  const sockets = makeSocketServer({
    ...access,
    hub,
    log,
    policy,
    rules: {
      path: deps.path,
      allowedOrigins: deps.allowedOrigins,
      isDraining: () => draining !== undefined,
      isWithinRateLimit: (request) => {
        const address = deps.addressOf(request);
        // Loopback may be a local proxy for all clients.
        return isLoopbackName(address) || handshakes.count(addressKey(address)) === undefined;
      },
      verify,
    },
    onRefused: metrics.refused,
    onOpened: (connection, startedAt) => changes.checkSince(connection, startedAt),
    onMessage: makeClientMessages({
      policy,
      resume: (connection, cursors) =>
        void resume({ db, hub, loadUpdates, log, policy }, connection, cursors),
      renewAccess: (connection, token) =>
        renewAccess({ ...access, hub, log, verify, end, onRenewed: changes.checkSince }, connection, token),
      end,
    }),
  });

  followNotifications(listener, { hub, lease, follower });
  for (const [from, type] of announcements)
    listener.on(from, (integrationId) => {
      for (const connection of hub.stream(integrationId)?.sockets() ?? [])
        connection.sendControl({ v: 1, type, integrationId });
    });
  const changes = followAccessChanges({
    db,
    hub,
    listener,
    policy,
    onRemoved: follower.touch,
    end,
  });
  const tasks = [
    repeat(log, 'realtime comparison', policy.pollEveryMs, follower.compareAll),
    repeat(log, 'realtime reconciliation', policy.reconcileEveryMs, changes.reconcile),
    repeat(log, 'realtime sweep', policy.sweepEveryMs, async () => {
      // Handle input that arrived while this process was blocked first: a pong may be among it.
      await setImmediate();
      sweep({ connections: hub.connections, policy, terminate, end });
    }),
  ];
  const drain = (): Promise<void> => (draining ??= drainConnections(hub.connections, policy));

  return {
    service: {
      name: 'realtime',
      start: async () => {
        await lease.start();
        for (const task of tasks) await task.start();
      },
      stop: async () => {
        await drain();
        await Promise.all(tasks.map((task) => task.stop()));
        await records.settled();
        await lease.stop();
      },
    },
    handleUpgrade: sockets.handleUpgrade,
    mintToken: (grant) => tokens.mint({ ...grant, now: clock() }),
    deliver: (messages) => hub.deliver(messages),
    isOnlyNode: lease.isOnlyNode,
    drain,
    isDraining: () => draining !== undefined,
  };
}

/** Follows notifications of other nodes. After a reconnect it reads everything, because notifications may be lost. */
function followNotifications(
  listener: Listener,
  { hub, lease, follower }: { hub: Hub; lease: NodeLease; follower: Follower },
): void {
  listener.on(channel, (payload) => {
    if (payload === newNodePayload) lease.assumePeers();
    else follower.receive(payload);
  });
  listener.onConnect(() => {
    lease.assumePeers();
    for (const integrationId of hub.integrationIds) follower.touch(integrationId);
  });
}
