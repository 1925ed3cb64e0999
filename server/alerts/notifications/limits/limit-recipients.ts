import type { Tx } from '#platform/database/database.ts';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import { limitMails, mailboxOf, type MailQuota } from '#server/mail/limit-mails.ts';
import { mailableName } from '#server/mail/mailable-name.ts';
import type { AlertPolicy } from '#server/alerts/policy.ts';
import { findRecipientTeam } from './recipient-store.ts';

export interface MailLimitDeps extends Pick<SharedDeps, 'db' | 'clock'> {
  publicUrl: string;
  /** Key of the hash under which recipients are counted: their addresses are not stored. */
  countKey: Buffer;
  policy: Pick<AlertPolicy, 'maxMailsPerDay' | 'maxMailsToAddressPerDay'>;
}

export interface AllowedRecipients {
  to: string[];
  /** Why the other recipients get no mail; null if all do. */
  problem: string | null;
  /** Tells recipients who are not members why they get the mail; null if all are members. */
  notice: string | null;
}

/**
 * Counts a notification mail and applies the limits. Without a limit, a member could add a stranger's address to a rule and
 * send any number of mails to it, because members can also send the webhooks that trigger the rule.
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
    const strangers = recipients.filter((email) => !isMember(email));
    // Not of the integration: its owner could delete it and create another one.
    const ofOwner = `notifications to strangers of ${team?.owner_id ?? integrationId}`;
    const strangersWait =
      strangers.length === 0
        ? undefined
        : await limitMails(tx, deps.countKey, {
            counted: ofOwner,
            mails: strangers.length,
            most: maxMailsPerDay,
          });
    const allowed = strangersWait === undefined ? recipients : recipients.filter(isMember);
    const waits = await countEach(
      deps,
      tx,
      // For members each integration has its own count, so that other integrations cannot use up their limit.
      allowed.map((email) => ({
        email,
        counted: `notifications to ${mailboxOf(email)}${isMember(email) ? ` of ${integrationId}` : ''}`,
        most,
      })),
    );
    const to = allowed.filter((email) => !waits.has(email));
    const problems = [];
    if (strangersWait !== undefined)
      problems.push(
        `Mail limit reached: ${maxMailsPerDay} a day to addresses without a member, for all integrations of an owner. ${nextMails(deps, strangersWait)}`,
      );
    if (waits.size > 0)
      problems.push(
        `Mail limit reached for ${[...waits.keys()].join(', ')}: ${most} a day for an address. ${nextMails(deps, Math.max(...waits.values()))}`,
      );
    return {
      to,
      problem: problems.length === 0 ? null : problems.join(' '),
      notice: to.every(isMember) ? null : noticeOf(deps.publicUrl, team?.label ?? null),
    };
  });
}

/** The seconds until the next mail, for each address that gets none now. */
async function countEach(
  { countKey }: MailLimitDeps,
  tx: Tx,
  quotas: readonly (MailQuota & { email: string })[],
): Promise<Map<string, number>> {
  const waits = new Map<string, number>();
  // All transactions use the same order, which prevents deadlocks.
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
  return `You get this mail because a member of ${team} on Forgewatch (${publicUrl}) added this address to a notification rule. To stop these mails, ask that team, or the operator of that service, to remove the address.`;
}
