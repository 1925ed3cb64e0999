import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '#platform/runtime/app-error.ts';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import type { Tokens } from '../provider/client.ts';
import type { VerifiedTokens } from '../tokens/token-pair.ts';
import {
  abandonRefresh,
  callsPerMinute,
  claimRefresh,
  findRefresh,
  finishRefresh,
  lockSession,
} from './refresh-store.ts';

/** Outcome of one refresh token at the provider, shared by all its callers. */
export type RefreshOutcome =
  | { kind: 'renewed'; tokens: Tokens; verified: VerifiedTokens }
  | { kind: 'refused' }
  | { kind: 'unavailable' }
  | { kind: 'misconfigured' };

export interface RefreshResult {
  outcome: RefreshOutcome;
  /** How long other callers get the same outcome. */
  keptMs: number;
  /** Undefined when the session did not continue. */
  continued?: {
    sessionId: string;
    /** Names in `signed_out` that end it. */
    endedBy: readonly string[];
    /** Runs when the session was signed out during the refresh: revokes tokens that nobody receives. */
    undo(): Promise<unknown>;
  };
}

type SharingDeps = Pick<SharedDeps, 'db' | 'sealer'>;

/**
 * Refreshes a token once for all concurrent callers in all processes; each caller gets the same result.
 * @throws AppError `identity_provider_unavailable` when the process that refreshes does not finish, `too_many_requests`.
 */
export type ShareRefresh = (
  refreshToken: string,
  ask: () => Promise<RefreshResult>,
) => Promise<RefreshOutcome | 'signed-out'>;

/** After this time the caller gets an error and can retry. */
const longestWaitMs = 10_000;
const lookAgainMs = 50;

export function makeShareRefresh(deps: SharingDeps): ShareRefresh {
  const underWay = new Map<string, ReturnType<ShareRefresh>>();
  return (refreshToken, ask) => {
    const tokenHash = hashOfRefreshToken(refreshToken);
    const key = tokenHash.toString('base64');
    const flight =
      underWay.get(key) ?? shareBetweenProcesses(deps, tokenHash, ask).finally(() => underWay.delete(key));
    underWay.set(key, flight);
    return flight;
  };
}

/** The database stores only this hash of a refresh token. */
export function hashOfRefreshToken(refreshToken: string): Buffer {
  return createHash('sha256').update(refreshToken).digest();
}

/** Binds a sealed outcome to its refresh token. */
export const outcomeContext = (tokenHash: Buffer): string => `refresh-replay:${tokenHash.toString('hex')}`;

export function openOutcome(
  sealer: SharingDeps['sealer'],
  tokenHash: Buffer,
  sealed: Buffer,
): RefreshOutcome {
  return JSON.parse(sealer.open(sealed, outcomeContext(tokenHash)).toString()) as RefreshOutcome;
}

async function shareBetweenProcesses(
  deps: SharingDeps,
  tokenHash: Buffer,
  ask: () => Promise<RefreshResult>,
): ReturnType<ShareRefresh> {
  const { db, sealer } = deps;
  const holder = randomUUID();
  const deadline = performance.now() + longestWaitMs;
  while (performance.now() < deadline) {
    if (await claimRefresh(db, tokenHash, holder)) return refreshAndShare(deps, tokenHash, holder, ask);
    const row = await findRefresh(db, tokenHash);
    if (row?.outcome) return openOutcome(sealer, tokenHash, row.outcome);
    if (row?.pause) throw tooMany(row.pause);
    await delay(lookAgainMs);
  }
  throw new AppError('identity_provider_unavailable', {
    detail: 'Another refresh of this session has not finished. Try again shortly.',
    retryAfterSeconds: 5,
  });
}

async function refreshAndShare(
  { db, sealer }: SharingDeps,
  tokenHash: Buffer,
  holder: string,
  ask: () => Promise<RefreshResult>,
): ReturnType<ShareRefresh> {
  const { outcome, keptMs, continued } = await ask().catch(async (error: unknown) => {
    await abandonRefresh(db, tokenHash, holder);
    throw error;
  });
  const sealed = sealer.seal(Buffer.from(JSON.stringify(outcome)), outcomeContext(tokenHash));
  const isFinished = await db.withScope('service', async (tx) => {
    if (continued !== undefined) await lockSession(tx, continued.sessionId);
    return finishRefresh(tx, { tokenHash, holder, outcome: sealed, keptMs, ...continued });
  });
  if (isFinished) return outcome;
  await continued?.undo();
  return 'signed-out';
}

function tooMany(retryAfterSeconds: number): AppError {
  return new AppError('too_many_requests', {
    detail: `A session is refreshed at most ${callsPerMinute} times a minute.`,
    retryAfterSeconds,
  });
}
