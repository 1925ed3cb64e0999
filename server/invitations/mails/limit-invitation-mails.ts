import {
  maxInvitationsPerHour,
  maxMailsPerDay,
  maxMailsToAddressPerDay,
} from '#contract/members/invitations.ts';
import type { ErrorCode } from '#contract/base/errors.ts';
import type { Tx } from '#platform/database/database.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import { limitMails, mailboxOf } from '#server/mail/limit-mails.ts';
import { recordSend } from '../store.ts';

export interface MailLimits {
  /** INVITATION_MAILS_PER_DAY. */
  mailsPerPerson: number;
  /** Senders and recipients are counted without being stored. */
  countKey: Buffer;
}

/** Codes of `limitInvitationMails`, for the API reference. */
export const mailLimits = [
  'recipient_mail_limit',
  'sender_mail_limit',
  'deployment_mail_limit',
] as const satisfies readonly ErrorCode[];

/**
 * Counts one more invitation mail of the day; a refusal rolls the transaction back and counts nothing. Otherwise a
 * stranger could sign in and mail texts of their own to anybody. @throws AppError `recipient_mail_limit`,
 * `sender_mail_limit`, `deployment_mail_limit`
 */
export async function limitInvitationMails(
  tx: Tx,
  { mailsPerPerson, countKey }: MailLimits,
  { senderId, email }: { senderId: string; email: string },
): Promise<void> {
  const count = async (counted: string, most: number, code: ErrorCode, limit: string): Promise<void> => {
    const retryAfterSeconds = await limitMails(tx, countKey, { counted, most });
    if (retryAfterSeconds === undefined) return;
    throw new AppError(code, {
      detail: `${limit} Invite by link instead, or try again later.`,
      retryAfterSeconds,
    });
  };
  await count(
    `invitations to ${mailboxOf(email)}`,
    maxMailsToAddressPerDay,
    'recipient_mail_limit',
    `This address gets at most ${maxMailsToAddressPerDay} invitations a day.`,
  );
  await count(
    `invitations of ${senderId}`,
    mailsPerPerson,
    'sender_mail_limit',
    `You can mail at most ${mailsPerPerson} invitations a day.`,
  );
  await count(
    'invitations',
    maxMailsPerDay,
    'deployment_mail_limit',
    `This service mails at most ${maxMailsPerDay} invitations a day.`,
  );
}

const hourSeconds = 3600;

/** Counts an invitation or a resend against the hourly limit, which all processes share. @throws AppError `too_many_requests` */
export async function limitSends(tx: Tx, integrationId: string): Promise<void> {
  const { count, oldestAgeSeconds } = await recordSend(tx, integrationId);
  if (count <= maxInvitationsPerHour) return;
  throw new AppError('too_many_requests', {
    detail: `At most ${maxInvitationsPerHour} invitations an hour for each integration.`,
    retryAfterSeconds: Math.max(1, Math.ceil(hourSeconds - oldestAgeSeconds)),
  });
}
