import type { Role } from '#contract/roles.ts';
import type { Database } from '#platform/database/database.ts';
import type { Listener } from '#platform/database/listener.ts';
import type { Clock } from '#platform/runtime/clock.ts';
import type { Log } from '#platform/runtime/log.ts';
import { acceptPendingMemberships } from '#server/members/pending/pending-memberships.ts';
import { upsertUser } from './store.ts';
import type { VerifiedTokens } from './tokens/verify-tokens.ts';

/** Brings a user's record up to date and lets them in where they were waited for. Answers their id. */
export type UpsertUser = (verified: VerifiedTokens) => Promise<string>;

/**
 * A pair of tokens says the same each time, so one look is enough until something else changes: a new entry of a pending
 * membership, which the database announces to every process. This bound is for announcements that were lost.
 */
const lookEveryMs = 10_000;

export interface UpsertUserDeps {
  db: Database;
  listener: Listener;
  clock: Clock;
  log: Log;
  /** Of people who come from a linked organization, at most. */
  maxRole: Role;
}

export function makeUpsertUser({ db, listener, clock, log, maxRole }: UpsertUserDeps): UpsertUser {
  const keep = async (verified: VerifiedTokens): Promise<string> => {
    const { cognitoIdClaim, cognitoId, email, name, picture, forgeLogin, forgeId, issuedAt } = verified;
    const key = { cognitoIdClaim, cognitoId };
    const user = { ...key, email, name, picture, forgeLogin, claimsIssuedAt: issuedAt };
    if (verified.isForgeIdDoubtful) log.warn(key, 'forge id ignored: no other claim confirms it');
    try {
      const userId = await upsertUser(db, { ...user, forgeId });
      if (forgeId !== undefined) await acceptPendingMemberships(db, { userId, forgeId }, maxRole);
      return userId;
    } catch (error) {
      if ((error as { constraint?: unknown }).constraint !== 'users_forge_id_key') throw error;
      log.warn(key, 'forge id ignored: another user has it');
      return upsertUser(db, { ...user, forgeId: undefined });
    }
  };
  /** Grows with each announcement; what was looked up before counts no longer. */
  let announced = 0;
  const announce = (): void => void (announced += 1);
  listener.on('pending_memberships_changed', announce);
  listener.onConnect(announce);
  // The verifier answers with the same object for a pair of tokens that it knows, and with another for changed claims.
  const kept = new WeakMap<VerifiedTokens, { userId: string; at: number; announced: number }>();
  return async (verified) => {
    const before = kept.get(verified);
    if (before?.announced === announced && before.at > clock() - lookEveryMs) return before.userId;
    const look = { at: clock(), announced };
    const userId = await keep(verified);
    kept.set(verified, { userId, ...look });
    return userId;
  };
}
