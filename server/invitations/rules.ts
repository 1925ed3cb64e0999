import { lowerAscii } from '#contract/base/plain-text.ts';
import type { Role } from '#contract/members/roles.ts';
import type { Person } from '#platform/http/route.ts';
import { mayInvite } from '#server/members/rules.ts';

/** State of an invitation when a person accepts it. */
export interface OfferedInvitation {
  /** Null for a link that anyone can use. */
  email: string | null;
  role: Role;
  status: 'pending' | 'accepted' | 'revoked';
  isExpired: boolean;
  /** Undefined when the inviter is not a member. */
  inviterRole: Role | undefined;
}

/** The person who accepts. */
export type Invited = Pick<Person, 'userId' | 'email' | 'isEmailVerified'>;

export type AcceptVerdict = 'yes' | 'not_found' | 'invitation_ended';

/**
 * Whether a person may accept an invitation. An invitation to another address is always `not_found`, whatever its
 * state. Only verified addresses count.
 */
export function mayAccept(invitation: OfferedInvitation, person: Omit<Invited, 'userId'>): AcceptVerdict {
  if (invitation.email !== null) {
    if (!person.isEmailVerified || person.email === null) return 'not_found';
    if (lowerAscii(person.email) !== lowerAscii(invitation.email)) return 'not_found';
  }
  if (invitation.status !== 'pending' || invitation.isExpired) return 'invitation_ended';
  const isStillOffered =
    invitation.inviterRole !== undefined && mayInvite(invitation.inviterRole, invitation.role) === 'yes';
  return isStillOffered ? 'yes' : 'invitation_ended';
}

/** A former member needs an invitation that was sent after their removal. */
export function wasSentAfterLeaving(sentAt: Date, leftAt: Date | undefined): boolean {
  return leftAt === undefined || leftAt <= sentAt;
}

/** Links can be passed on, so they grant low roles only. */
export function isAllowedForLink(role: Role): boolean {
  return role === 'viewer' || role === 'member';
}

/** Masked address, for readers who may not see email addresses. */
export function maskEmail(email: string): string {
  const at = email.lastIndexOf('@');
  return `${[...email][0] ?? ''}***${email.slice(at)}`;
}
