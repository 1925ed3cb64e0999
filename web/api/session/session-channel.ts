/** What the tabs of a browser tell each other about their session. */
export type SessionMessage = 'renewed' | 'signed-in' | 'signed-out';

export interface SessionChannel {
  post(message: SessionMessage): void;
  onMessage(listener: (message: SessionMessage) => void): void;
  /** When some tab renewed the session last, as `Date.now()`; 0 when none has. */
  renewedAt(): number;
  /** Runs while no other tab runs its own. */
  alone<T>(run: () => Promise<T>): Promise<T>;
}

const name = 'forgewatch.session';

/** Kept in storage as well, since a message may come later than the lock that its sender gave back. */
const renewedKey = 'forgewatch.renewedAt';

export function readChannel(): SessionChannel {
  const channel = new BroadcastChannel(name);
  let renewedHere = 0;
  return {
    post: (message) => {
      if (message === 'renewed') renewedHere = keepTime();
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel reaches its own origin alone
      channel.postMessage(message);
    },
    onMessage: (listener) => {
      channel.addEventListener('message', ({ data }) => {
        if (data === 'renewed') renewedHere = Date.now();
        listener(data as SessionMessage);
      });
    },
    renewedAt: () => Math.max(renewedHere, keptTime()),
    // Browsers offer locks only to pages that were loaded securely; the server unites what comes at once as well.
    alone: (run) => (navigator.locks ? navigator.locks.request(name, run) : run()),
  };
}

function keepTime(): number {
  const now = Date.now();
  try {
    localStorage.setItem(renewedKey, String(now));
  } catch {
    // Storage may be forbidden; the message tells it then.
  }
  return now;
}

function keptTime(): number {
  try {
    return Number(localStorage.getItem(renewedKey) ?? 0);
  } catch {
    return 0;
  }
}
