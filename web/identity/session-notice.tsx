import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { useIsAway } from '../api/contact/browser-contact.ts';
import { session } from '../api/session/browser-session.ts';
import { Notice } from '../ui/page/notice.tsx';

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
        <Notice>
          The identity provider does not answer. You stay signed in. Data may be out of date until it is back.
        </Notice>
      )}
    </output>
  );
}
