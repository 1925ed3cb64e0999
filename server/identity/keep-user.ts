import type { Database } from '#platform/database/database.ts';
import type { Clock } from '#platform/runtime/clock.ts';
import type { Log } from '#platform/runtime/log.ts';
import { resolvePending } from '#server/members/pending-memberships.ts';
import { upsertUser } from './store.ts';
import type { VerifiedTokens } from './verify-tokens.ts';

/** Brings a user's record up to date and lets them in where they were waited for. Answers their id. */
export type KeepUser = (verified: VerifiedTokens) => Promise<string>;

/** Who is waited for again while signed in is a member within this time; the sync itself adds whom it knows at once. */
const lookEveryMs = 10_000;
const rememberedMost = 10_000;

export function makeKeepUser({ db, clock, log }: { db: Database; clock: Clock; log: Log }): KeepUser {
  const lookedAt = new Map<string, number>();
  const letIn = async (userId: string, forgeId: string): Promise<void> => {
    if ((lookedAt.get(userId) ?? -Infinity) > clock() - lookEveryMs) return;
    await resolvePending(db, userId, forgeId);
    lookedAt.delete(userId);
    lookedAt.set(userId, clock());
    const [oldest] = lookedAt.keys();
    if (lookedAt.size > rememberedMost && oldest !== undefined) lookedAt.delete(oldest);
  };
  return async (verified) => {
    const { subject, email, name, picture, forgeLogin, issuedAt } = verified;
    const user = { cognitoId: subject, email, name, picture, forgeLogin, claimsIssuedAt: issuedAt };
    const forgeId = verified.forgeId;
    if (verified.isForgeIdDoubtful) log.warn({ subject }, 'a forge id is claimed that nothing vouches for');
    try {
      const userId = await upsertUser(db, { ...user, forgeId });
      if (forgeId !== undefined) await letIn(userId, forgeId);
      return userId;
    } catch (error) {
      if ((error as { constraint?: unknown }).constraint !== 'users_forge_id_key') throw error;
      log.warn({ subject }, 'the forge id of a sign-in is that of another user');
      return upsertUser(db, { ...user, forgeId: undefined });
    }
  };
}
