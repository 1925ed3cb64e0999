import type { RealtimePolicy } from '#server/realtime/policy.ts';

/** Counts open and pending sockets, to apply the limits of the node before the database is used. */
export interface Admission {
  isFull(open: number): boolean;
  hasRoomFor(userId: string): boolean;
  /** A handshake starts to use the database. */
  begin(userId: string): void;
  /** The handshake ended. An opened socket continues to count for its user. */
  end(userId: string, hasOpened: boolean): void;
  /** An open socket closed. */
  leave(userId: string): void;
}

export function makeAdmission(policy: RealtimePolicy): Admission {
  const places = new Map<string, number>();
  let pending = 0;

  const change = (userId: string, by: 1 | -1): void => {
    const count = (places.get(userId) ?? 0) + by;
    if (count === 0) places.delete(userId);
    else places.set(userId, count);
  };

  return {
    isFull: (open) => open + pending >= policy.maxConnections || pending >= policy.maxPendingHandshakes,
    hasRoomFor: (userId) => (places.get(userId) ?? 0) < policy.maxConnectionsPerUser,
    begin: (userId) => {
      pending += 1;
      change(userId, 1);
    },
    end: (userId, hasOpened) => {
      pending -= 1;
      if (!hasOpened) change(userId, -1);
    },
    leave: (userId) => change(userId, -1),
  };
}
