import { onlineManager } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { ServerContact } from './server-contact.ts';

const answerWithinMs = 10_000;

/** Only the server responds with JSON. A proxy before a stopped server or a captive portal does not. */
async function ask(): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(answerWithinMs);
    const response = await fetch('/config.json', { cache: 'no-store', signal });
    await response.json();
    return true;
  } catch {
    return false;
  }
}

/** The server contact of this tab. Failed queries are repeated when the server is back. */
export const contact = new ServerContact({
  ask,
  random: Math.random,
  isVisible: () => !document.hidden,
});

for (const change of ['online', 'offline']) addEventListener(change, () => void contact.check());
document.addEventListener('visibilitychange', () => {
  if (!document.hidden && contact.isAway) void contact.check();
});
onlineManager.setEventListener((setOnline) => contact.onChange(() => setOnline(!contact.isAway)));

export function useIsAway(): boolean {
  return useSyncExternalStore(contact.onChange, () => contact.isAway);
}
