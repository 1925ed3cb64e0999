import type { Role } from '#contract/roles.ts';
import type { Database } from '#platform/database/database.ts';
import type { Clock } from '#platform/runtime/clock.ts';
import type { Log } from '#platform/runtime/log.ts';
import { resolvePending } from '#server/members/pending-memberships.ts';
import { upsertUser } from './store.ts';
import type { VerifiedTokens } from './verify-tokens.ts';

/** Brings a user's record up to date and lets them in where they were waited for. Answers their id. */
export type KeepUser = (verified: VerifiedTokens) => Promise<string>;

/**
 * What a pair of tokens says is compared with the record this often, not at each request: only claims that are as new
 * could have changed it since. Who is waited for again while signed in is a member within this time; the sync itself
 * adds whom it knows at once.
 */
const lookEveryMs = 10_000;

export interface KeepUserDeps {
  db: Database;
  clock: Clock;
  log: Log;
  /** Of people who come from a linked organization, at most. */
  mostRole: Role;
}

export function makeKeepUser({ db, clock, log, mostRole }: KeepUserDeps): KeepUser {
  const keep = async (verified: VerifiedTokens): Promise<string> => {
    const { cognitoIdClaim, cognitoId, email, name, picture, forgeLogin, forgeId, issuedAt } = verified;
    const key = { cognitoIdClaim, cognitoId };
    const user = { ...key, email, name, picture, forgeLogin, claimsIssuedAt: issuedAt };
    if (verified.isForgeIdDoubtful) log.warn(key, 'forge id ignored: no other claim confirms it');
    try {
      const userId = await upsertUser(db, { ...user, forgeId });
      if (forgeId !== undefined) await resolvePending(db, { userId, forgeId }, mostRole);
      return userId;
    } catch (error) {
      if ((error as { constraint?: unknown }).constraint !== 'users_forge_id_key') throw error;
      log.warn(key, 'forge id ignored: another user has it');
      return upsertUser(db, { ...user, forgeId: undefined });
    }
  };
  // The verifier answers with the same object for a pair of tokens that it knows.
  const kept = new WeakMap<VerifiedTokens, { userId: string; at: number }>();
  return async (verified) => {
    const before = kept.get(verified);
    if (before !== undefined && before.at > clock() - lookEveryMs) return before.userId;
    const userId = await keep(verified);
    kept.set(verified, { userId, at: clock() });
    return userId;
  };
}
