import type { MemberSource } from '#contract/members/members.ts';
import type { Role } from '#contract/members/roles.ts';

/** A forge account as an integration sees it. */
export interface OrganizationAccount {
  forgeId: string;
  /** Whether it belongs to an organization that the integration has linked. */
  isInOrganization: boolean;
  /** Null until the person signs in. */
  userId: string | null;
  name: string | null;
  /** The membership in the integration; null for other people. */
  role: Role | null;
  source: MemberSource | null;
  /** Was removed from the integration or left it, and has not left an organization since. */
  isFormer: boolean;
  /** Becomes a member at sign-in. */
  isPending: boolean;
}

/** People who join. A former member does not join again, and a member keeps their role. */
export function membersToAdd(accounts: readonly OrganizationAccount[]): string[] {
  return userIdsOf(
    accounts.filter(({ isInOrganization, role, isFormer }) => isInOrganization && role === null && !isFormer),
  );
}

/** People who leave. The owner stays, and so does a member whose role somebody chose. */
export function membersToRemove(accounts: readonly OrganizationAccount[]): string[] {
  return userIdsOf(
    accounts.filter(
      ({ isInOrganization, role, source, isFormer }) =>
        source === 'org_sync' && role !== 'owner' && (!isInOrganization || isFormer),
    ),
  );
}

/** Accounts of people who have not signed in yet. */
export function pendingToAdd(accounts: readonly OrganizationAccount[]): string[] {
  return forgeIdsOf(
    accounts.filter(
      ({ isInOrganization, userId, isPending }) => isInOrganization && userId === null && !isPending,
    ),
  );
}

export function pendingToDelete(accounts: readonly OrganizationAccount[]): string[] {
  return forgeIdsOf(accounts.filter(({ isInOrganization, isPending }) => isPending && !isInOrganization));
}

/** Of accounts that left an organization: former members who join again when they return to it. */
export function formerToForget(departed: readonly OrganizationAccount[]): string[] {
  return userIdsOf(departed.filter(({ isInOrganization, isFormer }) => isFormer && !isInOrganization));
}

const userIdsOf = (accounts: readonly OrganizationAccount[]): string[] =>
  accounts.flatMap(({ userId }) => userId ?? []);
const forgeIdsOf = (accounts: readonly OrganizationAccount[]): string[] =>
  accounts.map(({ forgeId }) => forgeId);
