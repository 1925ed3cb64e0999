import type { Role } from '#contract/roles.ts';
import { mayInvite } from '#server/members/rules.ts';

/** An invitation at the moment somebody wants to accept it. */
export interface OfferedInvitation {
  /** Null: for whoever has the link. */
  email: string | null;
  role: Role;
  status: 'pending' | 'accepted' | 'revoked';
  isExpired: boolean;
  /** Undefined when they are no member any more. */
  inviterRole: Role | undefined;
}

export type AcceptVerdict = 'yes' | 'not_found' | 'invitation_ended';

/**
 * Whether the holder of the link may join. For somebody else's invitation the answer is that there is none, before
 * anything is told of its state; only an address that the identity provider vouches for counts.
 */
export function mayAccept(
  invitation: OfferedInvitation,
  person: { email: string | null; isEmailVerified: boolean },
): AcceptVerdict {
  if (invitation.email !== null) {
    if (!person.isEmailVerified || person.email === null) return 'not_found';
    if (person.email.toLowerCase() !== invitation.email.toLowerCase()) return 'not_found';
  }
  if (invitation.status !== 'pending' || invitation.isExpired) return 'invitation_ended';
  const isStillOffered =
    invitation.inviterRole !== undefined && mayInvite(invitation.inviterRole, invitation.role) === 'yes';
  return isStillOffered ? 'yes' : 'invitation_ended';
}

/** Who was removed, or left, is not meant by an invitation that was sent before. */
export function wasSentAfterLeaving(sentAt: Date, leftAt: Date | undefined): boolean {
  return leftAt === undefined || leftAt <= sentAt;
}

/** Links go from hand to hand, so they give little. */
export function isAllowedForLink(role: Role): boolean {
  return role === 'viewer' || role === 'member';
}
