import type { Role } from '#contract/members/roles.ts';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import { acceptPendingMemberships } from '#server/members/pending/pending-memberships.ts';
import { upsertUser } from './store.ts';
import type { VerifiedTokens } from './tokens/token-pair.ts';

/** Upserts the user from token claims and accepts pending memberships. Returns the user ID. */
export type UpsertUser = (verified: VerifiedTokens) => Promise<string>;

/**
 * For a known token pair no pending membership is looked up until one is added. The database notifies every process; this limits the
 * delay when a notification is lost.
 */
const cacheMs = 10_000;

export interface UpsertUserDeps extends Pick<SharedDeps, 'db' | 'log' | 'clock' | 'listener'> {
  /** Highest role for members of a linked organization. */
  maxRole: Role;
}

export function makeUpsertUser({ db, listener, clock, log, maxRole }: UpsertUserDeps): UpsertUser {
  const upsert = async (verified: VerifiedTokens, acceptsPending: boolean): Promise<string> => {
    const { cognitoIdClaim, cognitoId, email, name, picture, forgeLogin, forgeId, issuedAt } = verified;
    const key = { cognitoIdClaim, cognitoId };
    const user = { ...key, email, name, picture, forgeLogin, claimsIssuedAt: issuedAt };
    if (acceptsPending && verified.isForgeIdDoubtful)
      log.warn(key, 'forge id ignored: no other claim confirms it');
    try {
      const userId = await upsertUser(db, { ...user, forgeId });
      if (acceptsPending && forgeId !== undefined)
        await acceptPendingMemberships(db, { userId, forgeId }, maxRole);
      return userId;
    } catch (error) {
      if ((error as { constraint?: unknown }).constraint !== 'users_forge_id_key') throw error;
      if (acceptsPending) log.warn(key, 'forge id ignored: another user has it');
      return upsertUser(db, { ...user, forgeId: undefined });
    }
  };
  /** Number of notifications; a new one lets all pairs look again. */
  let announced = 0;
  const announce = (): void => void (announced += 1);
  listener.on('pending_memberships_changed', announce);
  listener.onConnect(announce);
  // The verifier returns the same object for a known token pair.
  const looked = new WeakMap<VerifiedTokens, { at: number; announced: number }>();
  return async (verified) => {
    const before = looked.get(verified);
    const isKnown = before?.announced === announced && before.at > clock() - cacheMs;
    const look = { at: clock(), announced };
    // Each request updates the user: of two token pairs, the one that is used last counts. Equal claims write nothing.
    const userId = await upsert(verified, !isKnown);
    if (!isKnown) looked.set(verified, look);
    return userId;
  };
}
