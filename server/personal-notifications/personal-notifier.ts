import type { Tx } from '#platform/database/database.ts';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import { dayMs, minuteMs } from '#platform/runtime/time-units.ts';
import { alertPolicy } from '#server/alerts/policy.ts';
import { retryPreparing, type TaskKind, type TurnEnd } from '#server/tasks/task.ts';
import { mostPersonalMailsPerHour as most } from '#contract/members/personal-notifications.ts';
import { addLogEntry } from '#server/event-log/add-entry.ts';
import type { LogEntry } from '#server/event-log/log-entry.ts';
import { readReason } from '#server/alerts/reasons/read-reason.ts';
import { capped } from '#server/alerts/notifications/content/texts.ts';
import { MailNotConfigured, type SendMail } from '#server/mail/send-mail.ts';
import { personalTask, runOfKey, type PendingRun } from './pending-store.ts';
import { readOccasion, type Occasion } from './read-occasion.ts';
import {
  deleteOldFailures,
  forgetFailures,
  countMail,
  noteFailure,
  type Recipient,
} from './recipient-store.ts';
import { personalMail, titleOf } from './personal-mail.ts';
import { unsubscribePath, type UnsubscribeTokens } from './unsubscribe-token.ts';

type PersonalNotifierDeps = NotifyPersonDeps & Pick<SharedDeps, 'clock'>;

/**
 * Mails people about the runs that they started. Each run is handled on its own, so that one that fails delays no other. A process that
 * ends while it sends leaves the run to the next one, which may send the mail a second time.
 */
export function personalTasks(deps: PersonalNotifierDeps): TaskKind {
  return {
    name: personalTask,
    quickPlaces: 10,
    slowPlaces: 32,
    perIntegration: 4,
    // Longer than a mail server may take.
    longestMs: 10 * minuteMs,
    // A mail must not be sent twice.
    givesWay: false,
    handle: ({ integrationId, key }) => notify(deps, runOfKey(integrationId, key)),
    planRetry: retryPreparing('mail'),
  };
}

async function notify(deps: PersonalNotifierDeps, pendingRun: PendingRun): Promise<TurnEnd> {
  const { db } = deps;
  const { integrationId } = pendingRun;
  const occasion = await db.withScope({ integrationId }, (tx) =>
    readOccasion(tx, pendingRun, deps.clock(), alertPolicy),
  );
  if (occasion === 'later') return { again: alertPolicy.lookAgainMs };
  if (occasion === undefined) return 'done';
  for (const recipient of occasion.recipients) await notifyPerson(deps, pendingRun, occasion, recipient);
  if (occasion.isGreen)
    await db.withScope({ integrationId }, (tx) => forgetFailures(tx, pendingRun, occasion.branchKey));
  return 'done';
}

/** Forgets failures of branches that were not repaired, as incidents are forgotten. Returns the number of rows. */
export function forgetUnrepaired(tx: Tx, integrationId: string, now: number): Promise<number> {
  const before = new Date(now - alertPolicy.keepDays * dayMs);
  return deleteOldFailures(tx, integrationId, before);
}

interface NotifyPersonDeps extends Pick<SharedDeps, 'db' | 'log'> {
  publicUrl: string;
  sendMail: SendMail;
  unsubscribeTokens: UnsubscribeTokens;
}

/** Mails one person and adds the result to the event log. A mail that fails is not retried. */
async function notifyPerson(
  deps: NotifyPersonDeps,
  pendingRun: PendingRun,
  occasion: Occasion,
  recipient: Recipient,
): Promise<void> {
  const { db } = deps;
  const { integrationId } = pendingRun;
  const count = await db.withScope({ integrationId }, (tx) => countMail(tx, recipient.user_id, most));
  const problem =
    count > most
      ? `limit of ${most} mails an hour reached; further failures of this hour are not mailed`
      : await mail(deps, pendingRun, occasion, recipient);
  await db.withScope({ integrationId }, async (tx) => {
    if (!occasion.isGreen) await noteFailure(tx, pendingRun, occasion.branchKey, recipient.user_id);
    // Only the first suppressed mail of the hour has an entry.
    if (count <= most + 1) await addLogEntry(tx, entryOf(pendingRun, occasion, recipient, problem));
  });
}

/** Returns the problem; null if it was sent. */
async function mail(
  { db, log, sendMail, publicUrl, unsubscribeTokens }: NotifyPersonDeps,
  { integrationId, runId, attempt }: PendingRun,
  { isGreen, run }: Occasion,
  { user_id: userId, email }: Recipient,
): Promise<string | null> {
  const failure = { runId, attempt, jobId: null };
  const { reason } = isGreen
    ? { reason: null }
    : await readReason({ db, log }, integrationId, failure, { withAssessment: true });
  const unsubscribeUrl = `${publicUrl}${unsubscribePath}?token=${unsubscribeTokens.make(userId)}`;
  try {
    await sendMail(personalMail({ to: email, isGreen, run, reason, unsubscribeUrl, publicUrl }));
    return null;
  } catch (error) {
    log.warn({ err: error, integrationId, runId }, 'personal notification not sent');
    return error instanceof MailNotConfigured
      ? 'no mail server is configured'
      : 'the mail server refused the mail';
  }
}

function entryOf(
  { integrationId, runId, attempt }: PendingRun,
  occasion: Occasion,
  { user_id: userId, name }: Recipient,
  problem: string | null,
): LogEntry {
  const who = capped(name ?? 'A member', 60);
  const what = titleOf(occasion).replace(': your run', ': the run');
  return {
    integrationId,
    type: problem === null ? 'alert.person_notified' : 'alert.person_not_notified',
    severity: problem === null ? 'info' : 'warning',
    title:
      problem === null
        ? `${who} was notified: ${what}`
        : `${who} could not be notified (${problem}): ${what}`,
    details: { userId, runId, attempt },
  };
}
