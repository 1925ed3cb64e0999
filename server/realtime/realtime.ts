import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { Registry } from 'prom-client';
import { closeCodes } from '#contract/runs/realtime.ts';
import type { Listener } from '#platform/database/listener.ts';
import { systemClock, type Clock } from '#platform/runtime/clock.ts';
import { repeat } from '#platform/runtime/tasks/repeat.ts';
import type { Service } from '#platform/runtime/service.ts';
import { followAccessChanges } from './connections/access-changes.ts';
import type { CommittedUpdate } from './outbox/append-updates.ts';
import { channel, newNodePayload } from './outbox/channel.ts';
import { makeConnectionRecords, type ConnectionRecords } from './connections/connection-records.ts';
import { drainConnections } from './sockets/drain.ts';
import { makeFollower, type Follower } from './outbox/follow-streams.ts';
import { Hub } from './sockets/hub.ts';
import { makeNodeLease, type NodeLease } from './connections/node-lease.ts';
import { makeEnds, makeRealtimeMetrics } from './sockets/metrics.ts';
import { realtimePolicy, type RealtimePolicy } from './policy.ts';
import { makeSocketServer } from './sockets/socket-server.ts';
import type { SocketsDeps } from './sockets/sockets-deps.ts';
import { sweep } from './sockets/sweep.ts';
import { makeTokens, type TokenGrant } from '#server/realtime/handshake/ws-token.ts';

export interface RealtimeDeps extends Pick<
  SocketsDeps,
  'db' | 'log' | 'allowedOrigins' | 'path' | 'loadUpdates' | 'addressOf'
> {
  /** The caller starts it afterwards. */
  listener: Listener;
  metrics: Registry;
  /** Master keys for tokens: the first one signs, all verify. */
  tokenKeys: readonly Buffer[];
  /** PUBLIC_URL. Tokens of other deployments are refused. */
  audience: string;
  clock?: Clock;
  policy?: RealtimePolicy;
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
  const hub = new Hub({
    policy,
    onBehind: (integrationId) => follower.touch(integrationId),
    onWritten: (messages, sockets, at) => metrics.delivered(messages, sockets, at),
    onRevoked: (connection, integrationId) => {
      records.disconnect({ id: connection.id, integrationIds: [integrationId] });
      connection.sendControl({ v: 1, type: 'access.revoked', integrationId });
      if (connection.integrationIds.length === 0) ends.end(connection, closeCodes.forbidden, 'revoked');
    },
  });
  const metrics = makeRealtimeMetrics(deps.metrics, () => hub.connections);
  const ends = makeEnds(hub, metrics);
  const follower = makeFollower({ db, hub, loadUpdates, log, policy });
  const lease = makeNodeLease({ db, nodeId, log, policy });
  const records = makeConnectionRecords({ db, nodeId, log, policy });
  followNotifications(listener, { hub, lease, follower });
  followAnnouncements(listener, hub);
  const changes = followAccessChanges({ db, hub, listener, policy, onRemoved: follower.touch, ...ends });

  let draining: Promise<void> | undefined;
  const isDraining = (): boolean => draining !== undefined;
  const drain = (): Promise<void> => (draining ??= drainConnections(hub.connections, policy));
  const sockets = makeSocketServer({
    ...deps,
    hub,
    policy,
    records,
    metrics,
    changes,
    end: ends.end,
    isDraining,
    verify: (token) => tokens.verify(token, clock()),
  });
  const tasks = [
    repeat(log, 'realtime comparison', policy.pollEveryMs, follower.compareAll),
    repeat(log, 'realtime reconciliation', policy.reconcileEveryMs, changes.reconcile),
    repeat(log, 'realtime sweep', policy.sweepEveryMs, async () => {
      // A pong may have arrived while this process was blocked. Input is handled before the next immediate, but other immediates may block
      // in between, so what counts is the time before.
      const handledUntil = performance.now();
      await setImmediate();
      sweep({ connections: hub.connections, policy, handledUntil, ...ends });
    }),
  ];
  return {
    service: makeService({ lease, records, tasks, drain }),
    handleUpgrade: sockets.handleUpgrade,
    mintToken: (grant) => tokens.mint({ ...grant, now: clock() }),
    deliver: (messages) => hub.deliver(messages),
    isOnlyNode: lease.isOnlyNode,
    drain,
    isDraining,
  };
}

function makeService({
  lease,
  records,
  tasks,
  drain,
}: {
  lease: NodeLease;
  records: ConnectionRecords;
  tasks: readonly Pick<Service, 'start' | 'stop'>[];
  drain(): Promise<void>;
}): Service {
  return {
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
  };
}

function followAnnouncements(listener: Listener, hub: Hub): void {
  for (const [from, type] of announcements)
    listener.on(from, (integrationId) => {
      for (const connection of hub.stream(integrationId)?.sockets() ?? [])
        connection.sendControl({ v: 1, type, integrationId });
    });
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
