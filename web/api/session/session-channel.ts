import { readStored, store } from '../stored.ts';

/** Messages between the tabs of a browser about their session. */
export type SessionMessage = 'renewed' | 'signed-in' | 'signed-out';

export interface SessionChannel {
  post(message: SessionMessage): void;
  onMessage(listener: (message: SessionMessage) => void): void;
  /** When a tab last renewed the session, as `Date.now()`; 0 for never. */
  renewedAt(): number;
  /** Runs the function while no other tab runs its own. */
  alone<T>(run: () => Promise<T>): Promise<T>;
}

const name = 'forgewatch.session';

/** Also stored, because the message may arrive after the sender released the lock. */
const renewedKey = 'forgewatch.renewedAt';

export function readChannel(): SessionChannel {
  const channel = new BroadcastChannel(name);
  let renewedHere = 0;
  return {
    post: (message) => {
      if (message === 'renewed') {
        renewedHere = Date.now();
        store('localStorage', renewedKey, String(renewedHere));
      }
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel reaches its own origin alone
      channel.postMessage(message);
    },
    onMessage: (listener) => {
      channel.addEventListener('message', ({ data }) => {
        if (data === 'renewed') renewedHere = Date.now();
        listener(data as SessionMessage);
      });
    },
    renewedAt: () => Math.max(renewedHere, Number(readStored('localStorage', renewedKey) ?? 0)),
    // Browsers offer locks only in secure contexts. The server also merges concurrent refreshes.
    alone: (run) => (navigator.locks ? navigator.locks.request(name, run) : run()),
  };
}
