import type { CreatedInvitation, InvitationBody, MailOutcome } from '#contract/members/invitations.ts';
import type { Tx } from '#platform/database/database.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import { addLogEntry } from '#server/event-log/add-entry.ts';
import type { LogEntry } from '#server/event-log/log-entry.ts';
import { withRole, type Actor } from '#server/members/locks/lock-member-role.ts';
import { throwUnlessAllowed } from '#server/members/refuse.ts';
import { mayInvite } from '#server/members/rules.ts';
import { limitInvitationMails, limitSends, type MailLimits } from './mails/limit-invitation-mails.ts';
import { mailInvitation, type MailDeps } from './mails/mail-invitation.ts';
import { invitationObject } from './read-invitations.ts';
import { isAllowedForLink, maskEmail } from './rules.ts';
import {
  endExpired,
  endInvitation,
  findInvitation,
  insertInvitation,
  isMemberByEmail,
  renewInvitation,
  type InvitationRow,
} from './store.ts';
import { acceptUrl, hashOf, makeToken } from './token.ts';

export interface InviteDeps extends MailDeps {
  publicUrl: string;
  mailLimits: MailLimits;
}

/**
 * Invites an address, or makes a link that anyone can use once. @throws AppError `owner_not_assignable`, `already_member`,
 * `conflict` when one is open for the address, and those of `limitSends` and `limitInvitationMails`
 */
export async function createInvitation(
  deps: InviteDeps,
  actor: Actor,
  { email, role }: InvitationBody,
): Promise<CreatedInvitation> {
  const { integrationId, actorId } = actor;
  const token = makeToken();
  const row = await withRole(deps.db, actor, 'admin', async (tx, { role: actorRole }) => {
    throwUnlessAllowed(mayInvite(actorRole, role));
    if (email === null && !isAllowedForLink(role)) throw roleTooHighForLink();
    await limitSends(tx, integrationId);
    if (email !== null) await releaseAddress(tx, integrationId, email);
    const tokenHash = hashOf(token);
    const invitationId = await insertInvitation(tx, {
      integrationId,
      email,
      role,
      tokenHash,
      invitedBy: actorId,
    });
    if (invitationId === undefined)
      throw new AppError('conflict', {
        detail: 'This address already has an open invitation. Resend or revoke it.',
      });
    const created = await logged(tx, actor, invitationId, 'invitation.created', 'was invited');
    await countMail(deps, tx, actor, created);
    return created;
  });
  const link = acceptUrl(deps.publicUrl, token);
  const mail = await mailInvitation(deps, integrationId, row, link);
  return { ...invitationObject(row, 'admin'), acceptUrl: link, mail };
}

/** Makes a new link, good for a week; the old one is dead. @throws AppError `not_found`, `invitation_ended` */
export async function resendInvitation(
  deps: InviteDeps,
  actor: Actor,
  invitationId: string,
): Promise<{ acceptUrl: string; mail: MailOutcome }> {
  const { integrationId, actorId } = actor;
  const token = makeToken();
  const row = await withRole(deps.db, actor, 'admin', async (tx) => {
    await limitSends(tx, integrationId);
    const renewed = { tokenHash: hashOf(token), invitedBy: actorId };
    if (!(await renewInvitation(tx, { integrationId, invitationId }, renewed)))
      throw await notOpen(tx, integrationId, invitationId);
    const resent = await logged(tx, actor, invitationId, 'invitation.resent', 'was invited again');
    await countMail(deps, tx, actor, resent);
    return resent;
  });
  const link = acceptUrl(deps.publicUrl, token);
  return { acceptUrl: link, mail: await mailInvitation(deps, integrationId, row, link) };
}

/** Ends an open invitation. @throws AppError `not_found`, `invitation_ended` */
export async function revokeInvitation(deps: InviteDeps, actor: Actor, invitationId: string): Promise<void> {
  const { integrationId } = actor;
  await withRole(deps.db, actor, 'admin', async (tx) => {
    if (!(await endInvitation(tx, { integrationId, invitationId }, { status: 'revoked' })))
      throw await notOpen(tx, integrationId, invitationId);
    await logged(tx, actor, invitationId, 'invitation.revoked', 'is invited no more');
  });
}

/** Last in its transaction, as every invitation of the service waits for it. */
async function countMail(
  { mailLimits }: InviteDeps,
  tx: Tx,
  { actorId }: Actor,
  { email }: InvitationRow,
): Promise<void> {
  if (email !== null) await limitInvitationMails(tx, mailLimits, { senderId: actorId, email });
}

async function releaseAddress(tx: Tx, integrationId: string, email: string): Promise<void> {
  const [isMember] = await Promise.all([
    isMemberByEmail(tx, integrationId, email),
    endExpired(tx, integrationId, email),
  ]);
  if (isMember)
    throw new AppError('already_member', {
      detail: 'A member has this address. Change their role instead.',
    });
}

async function notOpen(tx: Tx, integrationId: string, invitationId: string): Promise<AppError> {
  const row = await findInvitation(tx, integrationId, invitationId);
  return row === undefined
    ? new AppError('not_found', { detail: 'Invitation not found.' })
    : new AppError('invitation_ended', { detail: `The invitation was ${row.status}. Create a new one.` });
}

function roleTooHighForLink(): AppError {
  return new AppError('invalid_request', {
    detail:
      'Anyone with the link can use it, so its highest role is member. Invite an address for a higher role.',
    errors: [{ field: 'role', message: 'must be viewer or member without an address' }],
  });
}

/** Adds a log entry with a masked address, since every member reads the log. */
async function logged(
  tx: Tx,
  { integrationId, actorId }: Actor,
  invitationId: string,
  type: LogEntry['type'],
  change: string,
): Promise<InvitationRow> {
  const row = await findInvitation(tx, integrationId, invitationId);
  if (row === undefined) throw new Error('the invitation just changed cannot be read');
  const email = row.email === null ? null : maskEmail(row.email);
  await addLogEntry(tx, {
    integrationId,
    type,
    title: `${email ?? 'Anyone with the link'} ${change} as ${row.role}`,
    actorId,
    details: { invitationId, email, role: row.role },
  });
  return row;
}
