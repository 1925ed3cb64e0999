import { maxInvitationsPerHour } from '#contract/members/invitations.ts';
import type { Tx } from '#platform/database/database.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import { recordSend } from '../store.ts';

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
