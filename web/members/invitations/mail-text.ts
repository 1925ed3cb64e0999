import type { MailOutcome } from '#contract/members/invitations.ts';

/** The mail result of an invitation and what to do if none was sent. */
export function mailText(outcome: MailOutcome, email: string | null): string {
  if (outcome === 'sent') return `Sent to ${email ?? 'them'}. A previous link no longer works.`;
  if (outcome === 'failed') return 'The mail could not be sent. Share the link yourself.';
  if (outcome === 'not_configured')
    return 'Forgewatch is not configured to send mail. Share the link yourself.';
  return 'The new link is ready. The previous link no longer works.';
}
