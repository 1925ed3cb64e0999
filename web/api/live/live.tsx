import { createContext, use, useEffect, useRef, useSyncExternalStore, type ReactNode } from 'react';
import type { WsToken } from '#contract/members/identity.ts';
import { contact } from '../contact/browser-contact.ts';
import { getJson } from '../client.ts';
import { LiveUpdates, type LiveUpdatesOptions, type UpdateListener } from './live-updates.ts';
import type { ConnectionState } from './socket.ts';

const LiveContext = createContext<LiveUpdates | undefined>(undefined);

export function LiveProvider({ live, children }: { live: LiveUpdates; children: ReactNode }) {
  return <LiveContext value={live}>{children}</LiveContext>;
}

/** The live updates of this tab. They react to network and visibility changes. */
export function browserUpdates(
  handlers: Pick<LiveUpdatesOptions, 'onMembershipsChanged' | 'onRevoked'>,
): LiveUpdates {
  const live = new LiveUpdates({
    fetchToken: () => getJson<WsToken>('/api/auth/ws-token'),
    openSocket,
    random: Math.random,
    isOnline: () => navigator.onLine && !contact.isAway,
    isVisible: () => !document.hidden,
    nextFrame: (run) => void requestAnimationFrame(run),
    ...handlers,
  });
  addEventListener('online', () => live.surroundingsChanged('online'));
  addEventListener('offline', () => live.surroundingsChanged('offline'));
  // A network connection does not imply that the server responds.
  contact.onChange(() => live.surroundingsChanged(contact.isAway ? 'offline' : 'online'));
  document.addEventListener('visibilitychange', () =>
    live.surroundingsChanged(document.hidden ? 'hidden' : 'visible'),
  );
  return live;
}

/** While the socket receives messages, the visible data is current. When it closes, the server may be down. */
function openSocket(url: string, protocol: string): WebSocket {
  const socket = new WebSocket(url, protocol);
  socket.addEventListener('message', () => contact.heard());
  socket.addEventListener('close', () => void contact.check());
  return socket;
}

export function useLive(): LiveUpdates {
  const live = use(LiveContext);
  if (live === undefined) throw new Error('useLive() outside of LiveProvider');
  return live;
}

export function useConnection(): { state: ConnectionState; tryAgain: () => void } {
  const live = useLive();
  return { state: useSyncExternalStore(live.onState, () => live.state), tryAgain: () => live.tryAgain() };
}

/** Follows the updates of an integration while the component is mounted. */
export function useUpdates(integrationId: string, listener: UpdateListener): void {
  const live = useLive();
  const latest = useRef(listener);
  useEffect(() => {
    latest.current = listener;
  });
  useEffect(
    () =>
      live.listen(integrationId, {
        onUpdates: (updates) => latest.current.onUpdates(updates),
        onResync: () => latest.current.onResync(),
        onIncidents: () => latest.current.onIncidents?.(),
        onPullRequests: () => latest.current.onPullRequests?.(),
        onConnected: () => latest.current.onConnected?.(),
      }),
    [live, integrationId],
  );
}
