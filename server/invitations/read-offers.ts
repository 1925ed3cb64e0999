import { maxOffers, type OfferedInvitation } from '#contract/members/invitations.ts';
import type { Database } from '#platform/database/database.ts';
import type { Person as SignedInPerson } from '#platform/http/route.ts';
import { leftAt, roleIn } from '#server/members/memberships-of-user.ts';
import { wasSentAfterLeaving, mayAccept } from './rules.ts';
import { findInvitation, listOffers, type Offer } from './store.ts';

type Person = Pick<SignedInPerson, 'userId' | 'email' | 'isEmailVerified'>;

/** The invitations that a person could accept now; none when nobody vouches for their address. */
export async function readOffers(db: Database, person: Person): Promise<OfferedInvitation[]> {
  const { email: verifiedEmail } = person;
  if (verifiedEmail === null || !person.isEmailVerified) return [];
  const offers = await db.withScope({ verifiedEmail }, (tx) =>
    listOffers(tx, verifiedEmail, { limit: maxOffers }),
  );
  const readable: OfferedInvitation[] = [];
  // One after the other: together they would take the connections of everybody else.
  for (const offer of offers) {
    const read = await readOffer(db, person, offer);
    if (read !== undefined) readable.push(read);
  }
  return readable;
}

/** Undefined for what would be refused, such as an invitation by who may invite no more. */
async function readOffer(
  db: Database,
  person: Person,
  { integration_id: integrationId, invitation_id: invitationId, invited_by: inviterId }: Offer,
): Promise<OfferedInvitation | undefined> {
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
  if (row === undefined || ownRole !== undefined) return undefined;
  if (!wasSentAfterLeaving(row.sent_at, ownLeaving)) return undefined;
  if (mayAccept({ ...row, isExpired: row.is_expired, inviterRole }, person) !== 'yes') return undefined;
  return {
    invitationId,
    label: row.label,
    role: row.role,
    inviterName: row.inviter_name,
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at.toISOString(),
  };
}
