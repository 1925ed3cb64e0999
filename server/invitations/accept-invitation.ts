import type { AcceptedInvitation } from '#contract/members/invitations.ts';
import type { Database, Tx } from '#platform/database/database.ts';
import { addLogEntry } from '#server/event-log/add-entry.ts';
import { joinAsMember } from '#server/members/access/memberships.ts';
import { lockMember } from '#server/members/locks/lock-member-role.ts';
import { alreadyMember, invitationEnded, invitationNotFound } from './refusals.ts';
import { mayAccept, wasSentAfterLeaving, type Invited } from './rules.ts';
import {
  endInvitation,
  findByToken,
  listOffers,
  lockInvitation,
  lockOffer,
  type InvitationRow,
} from './store.ts';
import { hashOf } from './token.ts';

/**
 * Accepts an invitation by its link. @throws AppError `not_found` for an unknown token and for an invitation to
 * another address alike, `invitation_ended`, `already_member`, which leaves the invitation open
 */
export async function acceptInvitation(
  db: Database,
  person: Invited,
  token: string,
): Promise<AcceptedInvitation> {
  const secretHash = hashOf(token);
  const found = await db.withScope({ secretHash }, (tx) => findByToken(tx, secretHash));
  if (found === undefined) throw invitationNotFound(person);
  return join(db, person, found, (tx) => lockInvitation(tx, found.integration_id, secretHash));
}

/**
 * Accepts an invitation by its ID, for the verified address that was invited. @throws AppError `not_found`, also when their
 * address is not verified, `invitation_ended`, `already_member`
 */
export async function acceptOffer(
  db: Database,
  person: Invited,
  invitationId: string,
): Promise<AcceptedInvitation> {
  const { email: verifiedEmail } = person;
  if (verifiedEmail === null || !person.isEmailVerified) throw invitationNotFound(person);
  const [found] = await db.withScope({ verifiedEmail }, (tx) =>
    listOffers(tx, verifiedEmail, { invitationId, limit: 1 }),
  );
  if (found === undefined) throw invitationNotFound(person);
  return join(db, person, found, (tx) => lockOffer(tx, found.integration_id, invitationId));
}

async function join(
  db: Database,
  person: Invited,
  { integration_id: integrationId, invited_by: inviterId }: { integration_id: string; invited_by: string },
  lock: (tx: Tx) => Promise<InvitationRow | undefined>,
): Promise<AcceptedInvitation> {
  return db.withScope({ joiningIntegrationId: integrationId }, async (tx) => {
    // Memberships before invitations, as in everything that changes both.
    const inviter = await lockMember(tx, { integrationId, actorId: inviterId });
    const row = await lock(tx);
    if (row === undefined || row.invited_by !== inviterId) throw invitationNotFound(person);
    const { invitation_id: invitationId, email, role, status, is_expired: isExpired } = row;
    const verdict = mayAccept({ email, role, status, isExpired, inviterRole: inviter?.role }, person);
    if (verdict === 'not_found') throw invitationNotFound(person);
    if (verdict === 'invitation_ended') throw invitationEnded();
    const member = { integrationId, userId: person.userId, role, source: 'invitation' } as const;
    const { isNew, leftAt } = await joinAsMember(tx, member);
    if (!isNew) throw alreadyMember();
    if (!wasSentAfterLeaving(row.sent_at, leftAt)) throw invitationEnded();
    const joined = await lockMember(tx, { integrationId, actorId: person.userId });
    await Promise.all([
      endInvitation(tx, { integrationId, invitationId }, { status: 'accepted', acceptedBy: person.userId }),
      addLogEntry(tx, {
        integrationId,
        type: 'member.joined',
        title: `${joined?.name ?? 'Somebody'} joined as ${role}, invited by ${inviter?.name ?? 'a member'}`,
        actorId: person.userId,
        details: { userId: person.userId, role, invitationId, invitedBy: inviterId },
      }),
    ]);
    return { integrationId, role };
  });
}
