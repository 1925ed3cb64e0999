import { createHmac } from 'node:crypto';
import { domainToASCII } from 'node:url';
import { mostMailsPerDay, mostMailsToAddressPerDay } from '#contract/invitations.ts';
import type { ErrorCode } from '#contract/errors.ts';
import type { Tx } from '#platform/database/database.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import { noteMail, type MailCount } from './store.ts';

export interface MailLimits {
  /** INVITATION_MAILS_PER_DAY. */
  mailsPerPerson: number;
  /** Recipients are counted without their address being stored. */
  recipientKey: Buffer;
}

const daySeconds = 86_400;

/**
 * Counts one more invitation mail of the last 24 hours, in all processes together; a refusal counts nothing. Otherwise a
 * stranger could sign in and mail texts of their own to anybody. @throws AppError `recipient_mail_limit`,
 * `sender_mail_limit`, `deployment_mail_limit`
 */
export async function limitMails(
  tx: Tx,
  { mailsPerPerson, recipientKey }: MailLimits,
  { senderId, email }: { senderId: string; email: string },
): Promise<void> {
  const counts = await noteMail(tx, senderId, recipientHash(recipientKey, email));
  refuseAbove(
    mostMailsToAddressPerDay,
    counts.recipient,
    'recipient_mail_limit',
    `This address gets at most ${mostMailsToAddressPerDay} invitations in 24 hours.`,
  );
  refuseAbove(
    mailsPerPerson,
    counts.sender,
    'sender_mail_limit',
    `You can mail at most ${mailsPerPerson} invitations in 24 hours.`,
  );
  refuseAbove(
    mostMailsPerDay,
    counts.deployment,
    'deployment_mail_limit',
    `This service mails at most ${mostMailsPerDay} invitations in 24 hours.`,
  );
}

function refuseAbove(
  most: number,
  { mails, oldestAgeSeconds }: MailCount,
  code: ErrorCode,
  limit: string,
): void {
  if (mails <= most) return;
  throw new AppError(code, {
    detail: `${limit} Invite by link instead, or try again later.`,
    retryAfterSeconds: Math.max(1, Math.ceil(daySeconds - oldestAgeSeconds)),
  });
}

/** Of the mailbox: what follows a plus sign, and upper case, lead to the same one. */
function recipientHash(key: Buffer, email: string): string {
  const at = email.lastIndexOf('@');
  const name = email.slice(0, at).toLowerCase();
  const domain = email.slice(at + 1).toLowerCase();
  const tag = name.indexOf('+', 1);
  const mailbox = `${tag === -1 ? name : name.slice(0, tag)}@${domainToASCII(domain) || domain}`;
  return createHmac('sha256', key).update(mailbox).digest('hex');
}
