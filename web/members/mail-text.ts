import type { MailOutcome } from '#contract/invitations.ts';

/** What became of the mail of an invitation, and what to do where none left. */
export function mailText(outcome: MailOutcome, email: string | null): string {
  if (outcome === 'sent') return `Sent to ${email ?? 'them'}. The link of before, if any, is dead.`;
  if (outcome === 'failed') return 'The mail could not be sent. Give them the link yourself.';
  if (outcome === 'not_configured')
    return 'Forgewatch is not set up to send mail. Give them the link yourself.';
  return 'The new link is ready. The link of before is dead.';
}
