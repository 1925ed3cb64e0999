import type { PagePosition } from '#platform/http/page-cursor.ts';
import type { Role } from '#contract/members/roles.ts';
import { invitationDays } from '#contract/members/invitations.ts';
import type { Tx } from '#platform/database/database.ts';

export interface NewInvitation {
  integrationId: string;
  email: string | null;
  role: Role;
  tokenHash: string;
  invitedBy: string;
}

const lifetime = `interval '${invitationDays} days'`;
const expiry = `now() + ${lifetime}`;

/** The new one's id; undefined when one is open for the address. */
export function insertInvitation(tx: Tx, invitation: NewInvitation): Promise<string | undefined> {
  return tx.value<string>(
    `insert into invitations (integration_id, email, role, token_hash, invited_by, expires_at)
     values ($1, $2, $3, decode($4, 'hex'), $5, ${expiry})
     on conflict (integration_id, lower(email)) where status = 'pending' do nothing returning invitation_id`,
    [invitation.integrationId, invitation.email, invitation.role, invitation.tokenHash, invitation.invitedBy],
  );
}

/** Revokes an expired invitation, so that the address can be invited again. */
export async function endExpired(tx: Tx, integrationId: string, email: string): Promise<void> {
  await tx.query(
    `update invitations set status = 'revoked', ended_at = expires_at
     where integration_id = $1 and lower(email) = lower($2) and status = 'pending' and expires_at <= now()`,
    [integrationId, email],
  );
}

export function isMemberByEmail(tx: Tx, integrationId: string, email: string): Promise<boolean> {
  return tx.some(
    `select from memberships m join users u on u.user_id = m.user_id
     where m.integration_id = $1 and lower(u.email) = lower($2) limit 1`,
    [integrationId, email],
  );
}

/** Counts one more of the last hour, one transaction of an integration after the other; the oldest tells when to wait until. */
export async function recordSend(
  tx: Tx,
  integrationId: string,
): Promise<{ count: number; oldestAgeSeconds: number }> {
  void tx.query('select from integrations where integration_id = $1 for no key update', [integrationId]);
  void tx.query(
    `delete from invitation_sends where integration_id = $1 and sent_at < clock_timestamp() - interval '1 hour'`,
    [integrationId],
  );
  void tx.query('insert into invitation_sends (integration_id) values ($1)', [integrationId]);
  const { rows } = await tx.query<{ count: number; age: number }>(
    `select count(*)::int as count, extract(epoch from clock_timestamp() - min(sent_at))::float8 as age
     from invitation_sends where integration_id = $1`,
    [integrationId],
  );
  return { count: rows[0]?.count ?? 0, oldestAgeSeconds: rows[0]?.age ?? 0 };
}

export interface InvitationRow {
  invitation_id: string;
  email: string | null;
  role: Role;
  status: 'pending' | 'accepted' | 'revoked';
  is_expired: boolean;
  invited_by: string;
  inviter_name: string | null;
  label: string;
  created_at: Date;
  /** Time of creation or of the last resend. */
  sent_at: Date;
  expires_at: Date;
  at_micros: string;
}

const selectRows = `
  select v.invitation_id, v.email, v.role, v.status, v.expires_at <= now() as is_expired, v.invited_by,
         coalesce(u.name, u.forge_login) as inviter_name, i.label, v.created_at,
         v.expires_at - ${lifetime} as sent_at, v.expires_at,
         (extract(epoch from v.created_at) * 1000000)::bigint as at_micros
  from invitations v join users u on u.user_id = v.invited_by
    join integrations i on i.integration_id = v.integration_id
  where v.integration_id = $1`;

/** Newest first, those after the position. */
export function listInvitations(
  tx: Tx,
  integrationId: string,
  { openOnly, after, limit }: { openOnly: boolean; after: PagePosition | undefined; limit: number },
): Promise<InvitationRow[]> {
  return tx.rows<InvitationRow>(
    `${selectRows} and (not $2 or v.status = 'pending')
       and ($3::bigint is null
         or (v.created_at, v.invitation_id) < ('epoch'::timestamptz + $3 * interval '1 microsecond', $4::uuid))
     order by v.created_at desc, v.invitation_id desc limit $5`,
    [integrationId, openOnly, after?.at ?? null, after?.id ?? null, limit],
  );
}

export function findInvitation(
  tx: Tx,
  integrationId: string,
  invitationId: string,
): Promise<InvitationRow | undefined> {
  return tx.row<InvitationRow>(`${selectRows} and v.invitation_id = $2`, [integrationId, invitationId]);
}

/** Finds and locks an invitation by its token; undefined after a resend replaced the link. */
export function lockInvitation(
  tx: Tx,
  integrationId: string,
  tokenHash: string,
): Promise<InvitationRow | undefined> {
  return tx.row<InvitationRow>(`${selectRows} and v.token_hash = decode($2, 'hex') for update of v`, [
    integrationId,
    tokenHash,
  ]);
}

/** Finds and locks an invitation by its ID. */
export function lockOffer(
  tx: Tx,
  integrationId: string,
  invitationId: string,
): Promise<InvitationRow | undefined> {
  return tx.row<InvitationRow>(`${selectRows} and v.invitation_id = $2 for update of v`, [
    integrationId,
    invitationId,
  ]);
}

export interface Offer {
  invitation_id: string;
  integration_id: string;
  invited_by: string;
}

/** What is open for an address, newest first, or the one that is asked for, expired or not; in the scope of the address. */
export function listOffers(
  tx: Tx,
  email: string,
  { invitationId, limit }: { invitationId?: string; limit: number },
): Promise<Offer[]> {
  return tx.rows<Offer>(
    `select invitation_id, integration_id, invited_by from invitations
     where email_key = lower($1) and status = 'pending' and case when $2::uuid is null then expires_at > now() else invitation_id = $2 end
     order by created_at desc, invitation_id desc limit $3`,
    [email, invitationId ?? null, limit],
  );
}

/** Where a token belongs to; in the scope of its hash alone. */
export function findByToken(tx: Tx, tokenHash: string): Promise<Offer | undefined> {
  return tx.row<Offer>(
    `select invitation_id, integration_id, invited_by from invitations where token_hash = decode($1, 'hex')`,
    [tokenHash],
  );
}

/** Gives a pending invitation a new link, expiry and inviter. False when it is not pending. */
export function renewInvitation(
  tx: Tx,
  place: { integrationId: string; invitationId: string },
  { tokenHash, invitedBy }: { tokenHash: string; invitedBy: string },
): Promise<boolean> {
  return tx.some(
    `update invitations set token_hash = decode($3, 'hex'), invited_by = $4, expires_at = ${expiry}
     where integration_id = $1 and invitation_id = $2 and status = 'pending'`,
    [place.integrationId, place.invitationId, tokenHash, invitedBy],
  );
}

/** False when it is not open. */
export function endInvitation(
  tx: Tx,
  place: { integrationId: string; invitationId: string },
  ending: { status: 'accepted' | 'revoked'; acceptedBy?: string },
): Promise<boolean> {
  return tx.some(
    `update invitations set status = $3, accepted_by = $4, ended_at = now()
     where integration_id = $1 and invitation_id = $2 and status = 'pending'`,
    [place.integrationId, place.invitationId, ending.status, ending.acceptedBy ?? null],
  );
}
