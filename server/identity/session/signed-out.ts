import type { Database } from '#platform/database/database.ts';
import type { Listener } from '#platform/database/listener.ts';
import type { Clock } from '#platform/runtime/clock.ts';
import type { Log } from '#platform/runtime/log.ts';
import { repeat } from '#platform/runtime/tasks/repeat.ts';
import type { Service } from '#platform/runtime/service.ts';
import type { PersonKey } from '../tokens/claims.ts';
import {
  deleteExpiredSignedOut,
  findSignedOut,
  listSignedOut,
  type SignedOutRow,
} from './signed-out-store.ts';

/** The claims of a verified token pair that a sign-out refers to. */
export interface EndableTokens extends PersonKey {
  /** The `jti` of each token that has one. */
  tokenIds: readonly string[];
  sessionId: string;
  /** `iat` of the ID token, in seconds since the epoch. */
  issuedAt: number;
}

export interface SignedOut {
  /** Whether sign-out ended these tokens. Reads memory, which is at most one second old. */
  isSignedOut(tokens: EndableTokens): boolean;
  /** Like `isSignedOut`, but reads the database. */
  isSignedOutNow(tokens: EndableTokens): Promise<boolean>;
  /** Updates the copy of this process. The database notifies the other processes. */
  reload(): Promise<void>;
  readonly services: readonly Service[];
}

/** The poll finds entries whose notification was lost. */
const pollMs = 1000;

/** Each poll reads this much again, because a transaction may commit later than one that started after it. */
const overlapMs = 60_000;

const sweepMs = 10 * 60_000;

interface Entry {
  signedOutAt: number;
  expiresAt: number;
}

/** A copy in memory of all sign-outs that have not expired. */
export function makeSignedOut(deps: { db: Database; listener: Listener; log: Log; clock: Clock }): SignedOut {
  const { db, listener, log, clock } = deps;
  const entries = new Map<string, Entry>();
  let isComplete = false;
  let latest = 0;

  const load = async (): Promise<void> => {
    const after = isComplete ? new Date(latest - overlapMs) : undefined;
    const rows = await listSignedOut(db, after);
    for (const row of rows) {
      entries.set(row.entry, entryOf(row));
      latest = Math.max(latest, row.signed_out_at.getTime());
    }
    isComplete = true;
  };
  const loadSoon = (): void => {
    load().catch((error: unknown) => log.warn({ err: error }, 'could not load sign-outs'));
  };
  listener.on('session_ended', loadSoon);
  listener.onConnect(loadSoon);

  const sweep = async (): Promise<void> => {
    const now = clock();
    for (const [key, { expiresAt }] of entries) if (expiresAt <= now) entries.delete(key);
    await deleteExpiredSignedOut(db);
  };
  return {
    isSignedOut: (tokens) => isEnded(tokens, (entry) => entries.get(entry)),
    isSignedOutNow: async (tokens) => {
      const rows = await findSignedOut(db, entriesOf(tokens));
      const found = new Map(rows.map((row) => [row.entry, entryOf(row)]));
      return isEnded(tokens, (entry) => found.get(entry));
    },
    reload: load,
    services: [
      // Loaded before the start, so that no request is accepted with a token that was signed out.
      { name: 'signed-out sessions', start: load, stop: async () => {} },
      repeat(log, 'look for signed-out sessions', pollMs, load),
      repeat(log, 'forget expired sign-outs', sweepMs, sweep),
    ],
  };
}

function entryOf({ signed_out_at, expires_at }: SignedOutRow): Entry {
  return { signedOutAt: signed_out_at.getTime(), expiresAt: expires_at.getTime() };
}

export const entryOfToken = (tokenId: string): string => `token:${tokenId}`;
export const entryOfSession = (sessionId: string): string => `session:${sessionId}`;
export const entryOfPerson = ({ cognitoIdClaim, cognitoId }: PersonKey): string =>
  `user:${cognitoIdClaim}:${cognitoId}`;

function entriesOf(tokens: EndableTokens): string[] {
  return [...tokens.tokenIds.map(entryOfToken), entryOfSession(tokens.sessionId), entryOfPerson(tokens)];
}

/**
 * A token ends by its ID. A session or person ends all tokens issued earlier. A new sign-in may continue the same
 * session within the same second, so tokens of that second stay valid for a session.
 */
function isEnded(tokens: EndableTokens, find: (entry: string) => Entry | undefined): boolean {
  if (tokens.tokenIds.some((id) => find(entryOfToken(id)) !== undefined)) return true;
  const session = find(entryOfSession(tokens.sessionId));
  if (session !== undefined && tokens.issuedAt < Math.floor(session.signedOutAt / 1000)) return true;
  const person = find(entryOfPerson(tokens));
  return person !== undefined && tokens.issuedAt <= Math.floor(person.signedOutAt / 1000);
}
