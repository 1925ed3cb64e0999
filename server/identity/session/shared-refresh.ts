import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '#platform/database/database.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import type { Sealer } from '#platform/runtime/secrets/sealing.ts';
import {
  abandonRefresh,
  callsPerMinute,
  claimRefresh,
  findRefresh,
  finishRefresh,
  lockSession,
} from './refresh-store.ts';

/** Result of one refresh, shared by all callers with the same refresh token. */
export interface RefreshResult<Outcome> {
  outcome: Outcome;
  /** How long other callers get the same outcome. */
  keptMs: number;
  /** ID of the continued session; undefined when it ended. */
  sessionId: string | undefined;
  /** Names in `signed_out` that end it. */
  endedBy: readonly string[];
  /** Runs when the session was signed out during the refresh: revokes tokens that nobody receives. */
  undo(): Promise<unknown>;
}

/** Refreshes a token once for all concurrent callers in all processes; each caller gets the same result. */
export interface SharedRefreshes<Outcome> {
  /**
   * @throws AppError `identity_provider_unavailable` when the process that refreshes does not finish,
   * `too_many_requests`.
   */
  share(refreshToken: string, ask: () => Promise<RefreshResult<Outcome>>): Promise<Outcome | 'signed-out'>;
}

/** After this time the caller gets an error and can retry. */
const longestWaitMs = 10_000;
const lookAgainMs = 50;

export function makeSharedRefreshes<Outcome>(deps: {
  db: Database;
  sealer: Sealer;
}): SharedRefreshes<Outcome> {
  const underWay = new Map<string, Promise<Outcome | 'signed-out'>>();
  return {
    share: (refreshToken, ask) => {
      const tokenHash = hashOfRefreshToken(refreshToken);
      const key = tokenHash.toString('base64');
      const flight =
        underWay.get(key) ?? shareBetweenProcesses(deps, tokenHash, ask).finally(() => underWay.delete(key));
      underWay.set(key, flight);
      return flight;
    },
  };
}

/** The database stores only this hash of a refresh token. */
export function hashOfRefreshToken(refreshToken: string): Buffer {
  return createHash('sha256').update(refreshToken).digest();
}

/** Binds a sealed outcome to its refresh token. */
const contextOf = (tokenHash: Buffer): string => `refresh-replay:${tokenHash.toString('hex')}`;

export function openOutcome<Outcome>(sealer: Sealer, tokenHash: Buffer, sealed: Buffer): Outcome {
  return JSON.parse(sealer.open(sealed, contextOf(tokenHash)).toString()) as Outcome;
}

async function shareBetweenProcesses<Outcome>(
  deps: { db: Database; sealer: Sealer },
  tokenHash: Buffer,
  ask: () => Promise<RefreshResult<Outcome>>,
): Promise<Outcome | 'signed-out'> {
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

async function refreshAndShare<Outcome>(
  { db, sealer }: { db: Database; sealer: Sealer },
  tokenHash: Buffer,
  holder: string,
  ask: () => Promise<RefreshResult<Outcome>>,
): Promise<Outcome | 'signed-out'> {
  const result = await ask().catch(async (error: unknown) => {
    await abandonRefresh(db, tokenHash, holder);
    throw error;
  });
  const outcome = sealer.seal(Buffer.from(JSON.stringify(result.outcome)), contextOf(tokenHash));
  const isFinished = await db.withScope('service', async (tx) => {
    if (result.sessionId !== undefined) await lockSession(tx, result.sessionId);
    return finishRefresh(tx, { ...result, tokenHash, holder, outcome });
  });
  if (isFinished) return result.outcome;
  await result.undo();
  return 'signed-out';
}

function tooMany(retryAfterSeconds: number): AppError {
  return new AppError('too_many_requests', {
    detail: `A session is refreshed at most ${callsPerMinute} times a minute.`,
    retryAfterSeconds,
  });
}
