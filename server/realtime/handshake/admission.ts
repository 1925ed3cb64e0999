import type { RealtimePolicy } from '#server/realtime/policy.ts';

/** How many sockets a node holds or is about to: its limits are kept before the database is asked. */
export interface Admission {
  isFull(open: number): boolean;
  hasRoomFor(userId: string): boolean;
  /** A handshake goes to the database. */
  begin(userId: string): void;
  /** It was answered; the person's place stays taken when the socket opened. */
  end(userId: string, hasOpened: boolean): void;
  /** An open socket has closed. */
  leave(userId: string): void;
}

export function makeAdmission(policy: RealtimePolicy): Admission {
  const places = new Map<string, number>();
  let pending = 0;

  const change = (userId: string, by: 1 | -1): void => {
    const taken = (places.get(userId) ?? 0) + by;
    if (taken === 0) places.delete(userId);
    else places.set(userId, taken);
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
