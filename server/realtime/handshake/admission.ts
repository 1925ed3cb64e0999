import type { RealtimePolicy } from '#server/realtime/policy.ts';

/** Counts open and pending sockets, to apply the limits of the node before the database is used. */
export function makeAdmission(policy: RealtimePolicy) {
  const places = new Map<string, number>();
  let pending = 0;

  const change = (userId: string, by: 1 | -1): void => {
    const count = (places.get(userId) ?? 0) + by;
    if (count === 0) places.delete(userId);
    else places.set(userId, count);
  };

  return {
    isFull: (open: number): boolean =>
      open + pending >= policy.maxConnections || pending >= policy.maxPendingHandshakes,
    hasRoomFor: (userId: string): boolean => (places.get(userId) ?? 0) < policy.maxConnectionsPerUser,
    /** A handshake starts to use the database. */
    begin: (userId: string): void => {
      pending += 1;
      change(userId, 1);
    },
    /** The handshake ended. An opened socket continues to count for its user. */
    end: (userId: string, hasOpened: boolean): void => {
      pending -= 1;
      if (!hasOpened) change(userId, -1);
    },
    /** An open socket closed. */
    leave: (userId: string): void => change(userId, -1),
  };
}
