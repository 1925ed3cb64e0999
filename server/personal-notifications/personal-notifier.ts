import type { Tx } from '#platform/database/database.ts';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import { dayMs } from '#platform/runtime/time-units.ts';
import { repeat } from '#platform/runtime/tasks/repeat.ts';
import type { Service } from '#platform/runtime/service.ts';
import { alertPolicy } from '#server/alerts/policy.ts';
import { claimPendingRuns, deletePendingRun, dueRuns, postpone, type PendingRun } from './pending-store.ts';
import { notifyPerson, type NotifyPersonDeps } from './notify-person.ts';
import { readOccasion } from './read-occasion.ts';
import { deleteOldFailures, forgetFailures } from './recipient-store.ts';

type PersonalNotifierDeps = NotifyPersonDeps & Pick<SharedDeps, 'clock'>;

const everyMs = 1_000;
/** Mails that a process sends at once. */
const atOnce = 10;
/** Longer than a mail server may take. Another process continues after it. */
const leaseMs = 120_000;

/**
 * Mails people about the runs that they started. Each run is handled on its own, so that one that fails delays no other. A process that
 * ends while it sends leaves the run to the next one, which may send the mail a second time.
 */
export function makePersonalNotifier(deps: PersonalNotifierDeps): Service {
  const { db, log } = deps;
  return repeat(log, 'personal notifications', everyMs, async (signal) => {
    if (!(await db.hasRow(dueRuns))) return;
    for (let count = atOnce; count === atOnce && !signal.aborted;) {
      const claimed = await db.withScope('service', (tx) => claimPendingRuns(tx, atOnce, leaseMs));
      await Promise.all(
        claimed.map((pendingRun) =>
          handle(deps, pendingRun).catch((error: unknown) => {
            const { integrationId, runId } = pendingRun;
            log.warn({ err: error, integrationId, runId }, 'personal notification failed, will retry');
          }),
        ),
      );
      count = claimed.length;
    }
  });
}

async function handle(deps: PersonalNotifierDeps, pendingRun: PendingRun): Promise<void> {
  const { db } = deps;
  const { integrationId } = pendingRun;
  const occasion = await db.withScope({ integrationId }, (tx) =>
    readOccasion(tx, pendingRun, deps.clock(), alertPolicy),
  );
  if (occasion === 'later')
    return db.withScope({ integrationId }, (tx) => postpone(tx, pendingRun, alertPolicy.lookAgainMs));
  if (occasion !== undefined)
    for (const recipient of occasion.recipients) await notifyPerson(deps, pendingRun, occasion, recipient);
  await db.withScope({ integrationId }, async (tx) => {
    if (occasion?.isGreen === true) await forgetFailures(tx, pendingRun, occasion.branchKey);
    await deletePendingRun(tx, pendingRun);
  });
}

/** Forgets failures of branches that were not repaired, as incidents are forgotten. Returns the number of rows. */
export function forgetUnrepaired(tx: Tx, integrationId: string, now: number): Promise<number> {
  const before = new Date(now - alertPolicy.keepDays * dayMs);
  return deleteOldFailures(tx, integrationId, before);
}
