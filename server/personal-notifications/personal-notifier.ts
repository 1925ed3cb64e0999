import { backOffMs } from '#contract/base/back-off.ts';
import type { Tx } from '#platform/database/database.ts';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import { dayMs, minuteMs } from '#platform/runtime/time-units.ts';
import { alertPolicy } from '#server/alerts/policy.ts';
import type { TaskKind, TurnEnd } from '#server/tasks/task.ts';
import { personalTask, runOfKey, type PendingRun } from './pending-store.ts';
import { notifyPerson, type NotifyPersonDeps } from './notify-person.ts';
import { readOccasion } from './read-occasion.ts';
import { deleteOldFailures, forgetFailures } from './recipient-store.ts';

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
    planRetry: (_error, failures) => ({
      waitMs: backOffMs(databaseBackOff, failures),
      error: 'The mail could not be prepared. It is tried again.',
    }),
  };
}

const databaseBackOff = { leastMs: 1_000, firstMs: 2_000, longestMs: minuteMs };

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
