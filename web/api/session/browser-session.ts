import { contact } from '../contact/browser-contact.ts';
import { Session, type Renewal } from './session.ts';
import { readChannel } from './session-channel.ts';

/** A network that drops packets gives no error, and the other tabs wait for this request. */
const answerWithinMs = 30_000;

/** Without a response the state is unknown, so a network failure signs nobody out. */
async function askForTokens(): Promise<Renewal> {
  const response = await fetch('/api/auth/refresh', {
    method: 'POST',
    headers: { accept: 'application/json' },
    signal: AbortSignal.timeout(answerWithinMs),
  }).catch(() => undefined);
  if (response === undefined) void contact.check();
  // An unread body keeps its connection busy.
  else await response.text().catch(() => undefined);
  if (response?.ok) return 'renewed';
  return response?.status === 401 || response?.status === 404 ? 'over' : 'unavailable';
}

/** The session of this browser. */
export const session = new Session({ refresh: askForTokens, channel: readChannel() });
