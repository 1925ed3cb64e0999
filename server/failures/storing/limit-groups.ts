import type { Tx } from '#platform/database/database.ts';
import { addDailyEntry } from '#server/event-log/add-entry.ts';
import { countGroups, deleteOldestGroups } from '../groups/group-store.ts';

/** Of an integration. A job that fails with a new error line each time must not fill lists, searches and the database. */
export const maxGroups = 10_000;
/** Removed together, so that most new groups cost a count only. */
const removedAtOnce = 100;

/**
 * Makes room after new groups: removes open groups, then others, with the oldest last failure. Their failures stay, without a group.
 * Needs the lock on the stream of the integration.
 */
export async function limitGroups(tx: Tx, integrationId: string): Promise<void> {
  const count = await countGroups(tx, integrationId, maxGroups + removedAtOnce);
  if (count <= maxGroups) return;
  const removed = count - maxGroups + removedAtOnce;
  await deleteOldestGroups(tx, integrationId, removed);
  await addDailyEntry(tx, {
    integrationId,
    type: 'failure.groups_removed',
    severity: 'warning',
    title: `There are more than ${maxGroups.toLocaleString('en-US')} failure groups. Those that failed longest ago are removed.`,
    details: { removed },
  });
}
