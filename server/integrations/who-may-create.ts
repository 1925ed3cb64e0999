import { lowerAscii } from '#contract/base/plain-text.ts';
import type { Database } from '#platform/database/database.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import type { People } from '#platform/runtime/settings/setting-types.ts';
import { findForgeLogin } from './store.ts';

export interface Person {
  email: string | null;
  isEmailVerified: boolean;
  forgeLogin: string | null;
}

export type MayCreate = (person: Person) => boolean;

/** Implements WHO_MAY_CREATE. Only verified addresses count. */
export function makeMayCreate(named: People | undefined): MayCreate {
  if (named === undefined) return () => true;
  return ({ email, isEmailVerified, forgeLogin }) => {
    if (forgeLogin !== null && named.logins.includes(lowerAscii(forgeLogin))) return true;
    if (!isEmailVerified || email === null) return false;
    const address = lowerAscii(email);
    const domain = address.slice(address.lastIndexOf('@') + 1);
    return named.addresses.includes(address) || named.domains.includes(domain);
  };
}

/** @throws AppError `integration_creation_restricted` */
export async function refuseUnlessMayCreate(
  { db, mayCreate }: { db: Database; mayCreate: MayCreate },
  { userId, ...caller }: { userId: string; email: string | null; isEmailVerified: boolean },
): Promise<void> {
  const forgeLogin = await db.withScope({ userId }, (tx) => findForgeLogin(tx, userId));
  if (mayCreate({ ...caller, forgeLogin })) return;
  throw new AppError('integration_creation_restricted', {
    detail:
      'You are not allowed to create integrations. Ask the operator to add you to WHO_MAY_CREATE, or ask an admin of an integration to invite you.',
  });
}
