import { closeCodes } from '#contract/runs/realtime.ts';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import { listSignedOut, listFormerMembers, type Member } from './connection-store.ts';
import type { RealtimePolicy } from '../policy.ts';
import type { Connection } from '../sockets/connection.ts';
import type { Hub } from '../sockets/hub.ts';
import type { Ends } from '../sockets/metrics.ts';

/** Sent by `server/members/access/`: `changed <user>`, or `removed <integration>` for any of its members. */
const membershipChannel = 'membership_changed';

/** Sent by the database at sign-out: the id of the session, or `user:<id>` for all sessions of a person. */
const sessionChannel = 'session_ended';

export interface AccessChangesDeps extends Pick<SharedDeps, 'db' | 'listener'>, Pick<Ends, 'end'> {
  hub: Hub;
  policy: RealtimePolicy;
  /** Members of this integration were removed. The notification does not say which. */
  onRemoved(integrationId: string): void;
}

export interface AccessChanges {
  /** Closes a connection whose session ended after `startedAt`, while its handshake was under way. */
  checkSince(connection: Connection, startedAt: number): void;
  /** Compares all sockets with the database, because notifications may be lost. */
  reconcile(): Promise<void>;
}

/**
 * Applies changes of memberships and sessions to open sockets: within milliseconds after a notification, otherwise at the next
 * reconciliation.
 */
export function followAccessChanges(deps: AccessChangesDeps): AccessChanges {
  const { hub, listener, policy, end } = deps;
  // Needed for handshakes under way: they may have read the session before it ended.
  const endedAt = new Map<string, number>();
  listener.on(membershipChannel, (payload) => {
    const [change, id = ''] = payload.split(' ');
    if (change === 'removed') deps.onRemoved(id);
    if (change === 'changed') {
      for (const connection of connectionsOf(hub, ({ userId }) => userId === id)) {
        connection.sendControl({ v: 1, type: 'integrations.changed' });
      }
    }
  });
  listener.on(sessionChannel, (payload) => {
    endedAt.set(payload, performance.now());
    for (const connection of connectionsOf(hub, (each) => endingsOf(each).includes(payload))) {
      end(connection, closeCodes.expired, 'signed-out');
    }
  });
  return {
    checkSince: (connection, startedAt) => {
      if (endingsOf(connection).some((payload) => (endedAt.get(payload) ?? -1) >= startedAt)) {
        end(connection, closeCodes.expired, 'signed-out');
      }
    },
    reconcile: async () => {
      const expiredBefore = performance.now() - policy.handshakeTimeoutMs;
      for (const [payload, at] of endedAt) if (at < expiredBefore) endedAt.delete(payload);
      await reconcileMembers(deps);
      await reconcileSessions(deps);
    },
  };
}

/** The notification payloads that end a connection. */
function endingsOf({ sessionId, userId }: Connection): string[] {
  return [sessionId, `user:${userId}`];
}

function connectionsOf(hub: Hub, isWanted: (connection: Connection) => boolean): Connection[] {
  return [...hub.connections].filter(isWanted);
}

async function reconcileMembers({ db, hub, policy }: AccessChangesDeps): Promise<void> {
  const known = hub.integrationIds;
  for (let start = 0; start < known.length; start += policy.idsPerScope) {
    const integrationIds = known.slice(start, start + policy.idsPerScope);
    const members = integrationIds.flatMap((id) => membersOf(hub, id));
    const gone = await db.withScope({ integrationIds }, (tx) => listFormerMembers(tx, members));
    for (const { integrationId, userId } of gone) hub.revoke(integrationId, new Set([userId]));
  }
}

function membersOf(hub: Hub, integrationId: string): Member[] {
  const users = hub.stream(integrationId)?.userIds() ?? [];
  return users.map((userId) => ({ integrationId, userId }));
}

async function reconcileSessions({ db, hub, end }: AccessChangesDeps): Promise<void> {
  const signIns = [...hub.connections].map(({ id, sessionId, userId, issuedAt }) => ({
    connectionId: id,
    sessionId,
    userId,
    issuedAt,
  }));
  if (signIns.length === 0) return;
  const ended = await db.withScope('service', (tx) => listSignedOut(tx, signIns));
  for (const connection of connectionsOf(hub, ({ id }) => ended.has(id))) {
    end(connection, closeCodes.expired, 'signed-out');
  }
}
