import { useQueryClient } from '@tanstack/react-query';
import CloudOff from 'lucide-react/icons/cloud-off';
import { useEffect, useSyncExternalStore } from 'react';
import { useIsAway } from '../api/contact/browser-contact.ts';
import { session } from '../api/session/browser-session.ts';

const askEveryMs = 5000;

/**
 * Shown while the identity provider is unreachable. The session stays, and the notice disappears when the provider is
 * back.
 */
export function SessionNotice() {
  const client = useQueryClient();
  const isServerAway = useIsAway();
  const isUnavailable = useSyncExternalStore(session.onState, () => session.state === 'unavailable');
  const isAway = isUnavailable && !isServerAway;
  useEffect(() => {
    if (!isAway) return;
    const renew = (): void => void session.renew(Date.now());
    // The server may have been down, not the provider.
    renew();
    const timer = setInterval(renew, askEveryMs);
    return () => {
      clearInterval(timer);
      // A request may have renewed the session first. Those that failed before it are repeated.
      if (session.state === 'good') void client.invalidateQueries();
    };
  }, [client, isAway]);
  return (
    <output className="block">
      {isAway && (
        <div className="flex items-center justify-center gap-2 border-b border-line bg-hover px-4 py-1.5">
          <CloudOff size={15} aria-hidden className="shrink-0 text-running" />
          <span>
            The identity provider does not answer. You stay signed in. Data may be out of date until it is
            back.
          </span>
        </div>
      )}
    </output>
  );
}
