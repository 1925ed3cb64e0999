import type { Database, Tx } from '#platform/database/database.ts';
import type { Clock } from '#platform/runtime/clock.ts';
import { limitMails, mailboxOf, type MailQuota } from '#server/mail/limit-mails.ts';
import { mailableName } from '#server/mail/mailable-name.ts';
import type { AlertPolicy } from '#server/alerts/policy.ts';
import { findRecipientTeam } from './recipient-store.ts';

export interface MailLimitDeps {
  db: Database;
  clock: Clock;
  publicUrl: string;
  /** Recipients are counted without being stored. */
  countKey: Buffer;
  policy: Pick<AlertPolicy, 'maxMailsPerDay' | 'maxMailsToAddressPerDay'>;
}

/** Whom a notification may be mailed to. */
export interface AllowedRecipients {
  to: string[];
  /** Why others get no mail; null when all of them do. */
  problem: string | null;
  /** For people who are no members: why they get the mail. Null when all are members. */
  notice: string | null;
}

/**
 * Counts a notification mail: without a limit, a member could add a stranger's address to a rule and mail to it without
 * end, as the webhooks that trigger the rule are theirs to send.
 */
export async function limitRecipients(
  deps: MailLimitDeps,
  integrationId: string,
  recipients: readonly string[],
): Promise<AllowedRecipients> {
  return deps.db.withScope({ integrationId }, async (tx) => {
    const team = await findRecipientTeam(tx, integrationId, recipients);
    const isMember = (email: string): boolean => team?.member_emails.includes(email.toLowerCase()) ?? false;
    const { maxMailsPerDay, maxMailsToAddressPerDay: most } = deps.policy;
    const all = {
      counted: `notifications of ${integrationId}`,
      mails: recipients.length,
      most: maxMailsPerDay,
    };
    const allWait = await limitMails(tx, deps.countKey, all);
    if (allWait !== undefined) {
      const limit = `Mail limit reached: ${maxMailsPerDay} a day for an integration; each address counts.`;
      return { to: [], problem: `${limit} ${nextMails(deps, allWait)}`, notice: null };
    }
    const waits = await countEach(
      deps,
      tx,
      // Of members each integration counts its own mails: nobody else can use up what they may get.
      recipients.map((email) => ({
        email,
        counted: `notifications to ${mailboxOf(email)}${isMember(email) ? ` of ${integrationId}` : ''}`,
        most,
      })),
    );
    const to = recipients.filter((email) => !waits.has(email));
    const limit = `Mail limit reached for ${[...waits.keys()].join(', ')}: ${most} a day for an address.`;
    return {
      to,
      problem: waits.size === 0 ? null : `${limit} ${nextMails(deps, Math.max(...waits.values()))}`,
      notice: to.every(isMember) ? null : noticeOf(deps.publicUrl, team?.label ?? null),
    };
  });
}

/** Seconds until the next mail, of those addresses that get none now. */
async function countEach(
  { countKey }: MailLimitDeps,
  tx: Tx,
  quotas: readonly (MailQuota & { email: string })[],
): Promise<Map<string, number>> {
  const waits = new Map<string, number>();
  // In one order for all transactions, so that they do not wait for each other in a circle.
  for (const { email, ...quota } of quotas.toSorted((a, b) => (a.counted < b.counted ? -1 : 1))) {
    const wait = await limitMails(tx, countKey, quota);
    if (wait !== undefined) waits.set(email, wait);
  }
  return waits;
}

function nextMails({ clock }: MailLimitDeps, waitSeconds: number): string {
  const at = new Date(clock() + waitSeconds * 1000).toISOString();
  return `Next mails after ${at.slice(0, 10)} ${at.slice(11, 16)} UTC.`;
}

function noticeOf(publicUrl: string, label: string | null): string {
  const name = mailableName(label);
  const team = name === undefined ? 'an integration' : `the integration “${name}”`;
  return `You get this mail because a member of ${team} on Forgewatch (${publicUrl}) added this address to a notification rule. To stop these mails, ask that team, or whoever runs that service, to remove the address.`;
}
