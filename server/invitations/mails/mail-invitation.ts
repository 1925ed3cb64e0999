import { invitationDays, type MailOutcome } from '#contract/members/invitations.ts';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import { recordLogEntry } from '#server/event-log/add-entry.ts';
import { MailNotConfigured, type Mail, type SendMail } from '#server/mail/send-mail.ts';
import { mailableName } from '#server/mail/mailable-name.ts';
import { maskEmail } from '../rules.ts';
import type { InvitationRow } from '../store.ts';

export interface MailDeps extends Pick<SharedDeps, 'db' | 'log'> {
  sendMail: SendMail;
}

/**
 * Mails the link. A failed mail keeps the invitation valid: the inviter has the link, and the event log records the
 * failure.
 */
export async function mailInvitation(
  deps: MailDeps,
  integrationId: string,
  invitation: InvitationRow,
  link: string,
): Promise<MailOutcome> {
  const { email } = invitation;
  if (email === null) return 'none';
  try {
    await deps.sendMail(invitationMail(invitation, email, link));
    return 'sent';
  } catch (error) {
    const isConfigured = !(error instanceof MailNotConfigured);
    await tellOfFailure(deps, integrationId, invitation, isConfigured, error);
    return isConfigured ? 'failed' : 'not_configured';
  }
}

async function tellOfFailure(
  { db, log }: MailDeps,
  integrationId: string,
  { invitation_id: invitationId, email, invited_by: actorId }: InvitationRow,
  isConfigured: boolean,
  error: unknown,
): Promise<void> {
  const address = maskEmail(email ?? '');
  const facts = { integrationId, invitationId, to: address, link: 'in the answer' };
  if (isConfigured) log.warn({ err: error, ...facts }, 'an invitation could not be mailed');
  else log.info(facts, 'an invitation is not mailed, as SMTP_URL is unset');
  const reason = isConfigured ? 'The mail server did not take it' : 'No mail server is set';
  await recordLogEntry(db, {
    integrationId,
    type: 'invitation.mail_failed',
    severity: isConfigured ? 'warning' : 'info',
    title: `The invitation of ${address} was not mailed: hand its link over yourself. ${reason}`,
    actorId,
    details: { invitationId, email: address, isConfigured },
  }).catch((failure: unknown) => log.warn({ err: failure, ...facts }, 'event log entry failed'));
}

/** Plain text alone, where names from people are quoted and the only link is ours. */
function invitationMail({ inviter_name, label, role }: InvitationRow, to: string, link: string): Mail {
  const inviter = mailableName(inviter_name) ?? 'Somebody';
  const name = mailableName(label);
  return {
    to,
    subject: `${inviter} invites you to ${name === undefined ? 'an integration' : `“${name}”`} on Forgewatch`,
    text: [
      `${inviter} invites you to an integration on Forgewatch as ${role}.`,
      ...(name === undefined ? [] : [`The people who manage it call it “${name}”.`]),
      '',
      link,
      '',
      `The link works once, within ${invitationDays} days, for the person who signs in with this address.`,
      'If you do not know what this is about, ignore this mail.',
      '',
    ].join('\n'),
  };
}
