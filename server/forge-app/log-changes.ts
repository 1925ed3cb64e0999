import type { Tx } from '#platform/database/database.ts';
import { addLogEntry } from '#server/event-log/add-entry.ts';
import type { MemberChanges } from '#server/members/access/sync-organization-members.ts';

/** More changes than this share one entry. */
const maxSingleEntries = 20;

/** Records in the event log who joined or left with the forge's organization. */
export async function logMemberChanges(
  tx: Tx,
  integrationId: string,
  installationId: string,
  changes: MemberChanges,
): Promise<void> {
  for (const change of ['joined', 'left'] as const) {
    const people = changes[change];
    const type = change === 'joined' ? 'member.joined' : 'member.removed';
    const entry = { integrationId, type, actorId: null } as const;
    if (people.length > maxSingleEntries) {
      const details = { count: people.length, installationId, source: 'org_sync' };
      await addLogEntry(tx, {
        ...entry,
        title: `${people.length} members ${change} with the forge’s organization`,
        details,
      });
      continue;
    }
    for (const { userId, name } of people) {
      const title = `${name ?? 'A member'} ${change} with the forge’s organization`;
      await addLogEntry(tx, { ...entry, title, details: { userId, installationId, source: 'org_sync' } });
    }
  }
}
