import { maxOffers, type OfferedInvitation } from '#contract/members/invitations.ts';
import type { Database } from '#platform/database/database.ts';
import { leftAt, roleIn } from '#server/members/memberships-of-user.ts';
import { alreadyMember, invitationEnded, invitationNotFound } from './refusals.ts';
import { mayAccept, wasSentAfterLeaving, type AcceptVerdict, type Invited } from './rules.ts';
import { findByToken, findInvitation, listOffers, type InvitationRow, type Offer } from './store.ts';
import { hashOf } from './token.ts';

/** The invitations that a person could accept now; none when nobody vouches for their address. */
export async function readOffers(db: Database, person: Invited): Promise<OfferedInvitation[]> {
  const { email: verifiedEmail } = person;
  if (verifiedEmail === null || !person.isEmailVerified) return [];
  const offers = await db.withScope({ verifiedEmail }, (tx) =>
    listOffers(tx, verifiedEmail, { limit: maxOffers }),
  );
  const readable: OfferedInvitation[] = [];
  // One after the other: together they would take the connections of everybody else.
  for (const offer of offers) {
    const { row, verdict } = await judge(db, person, offer);
    if (row !== undefined && verdict === 'yes') readable.push(shown(row));
  }
  return readable;
}

/**
 * What the link of an invitation offers to a person. Changes nothing. @throws AppError what accepting would throw
 */
export async function readOfferOfLink(
  db: Database,
  person: Invited,
  token: string,
): Promise<OfferedInvitation> {
  const secretHash = hashOf(token);
  const found = await db.withScope({ secretHash }, (tx) => findByToken(tx, secretHash));
  if (found === undefined) throw invitationNotFound(person);
  const { row, verdict } = await judge(db, person, found);
  if (row === undefined || verdict === 'not_found') throw invitationNotFound(person);
  if (verdict === 'invitation_ended') throw invitationEnded();
  if (verdict === 'already_member') throw alreadyMember();
  return shown(row);
}

/** Whether the person could accept it now. */
async function judge(
  db: Database,
  person: Invited,
  { integration_id: integrationId, invitation_id: invitationId, invited_by: inviterId }: Offer,
): Promise<{ row: InvitationRow | undefined; verdict: AcceptVerdict | 'already_member' }> {
  const [row, inviterRole, ownRole, ownLeaving] = await db.withScope(
    { joiningIntegrationId: integrationId },
    (tx) =>
      Promise.all([
        findInvitation(tx, integrationId, invitationId),
        roleIn(tx, integrationId, inviterId),
        roleIn(tx, integrationId, person.userId),
        leftAt(tx, integrationId, person.userId),
      ]),
  );
  if (row === undefined) return { row, verdict: 'not_found' };
  const verdict = mayAccept({ ...row, isExpired: row.is_expired, inviterRole }, person);
  if (verdict !== 'yes') return { row, verdict };
  if (ownRole !== undefined) return { row, verdict: 'already_member' };
  return { row, verdict: wasSentAfterLeaving(row.sent_at, ownLeaving) ? 'yes' : 'invitation_ended' };
}

function shown(row: InvitationRow): OfferedInvitation {
  return {
    invitationId: row.invitation_id,
    label: row.label,
    role: row.role,
    inviterName: row.inviter_name,
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at.toISOString(),
  };
}
