import type { Role } from '#contract/members/roles.ts';
import type { LogAccess } from '#contract/failures/job-log.ts';
import type { Database } from '#platform/database/database.ts';
import { addLogEntry } from '#server/event-log/add-entry.ts';
import { withRole, type Actor } from '#server/members/locks/lock-member-role.ts';
import { findLogRole, replaceLogRole } from './job-log-store.ts';

export async function readLogAccess({ db }: { db: Database }, integrationId: string): Promise<LogAccess> {
  return {
    role: (await db.withScope({ integrationId }, (tx) => findLogRole(tx, integrationId))) ?? 'viewer',
  };
}

export async function changeLogAccess(
  { db }: { db: Database },
  actor: Actor,
  role: Role,
): Promise<LogAccess> {
  await withRole(db, actor, 'admin', async (tx) => {
    const former = await replaceLogRole(tx, actor.integrationId, role);
    if (former === undefined || former === role) return;
    await addLogEntry(tx, {
      ...actor,
      type: 'integration.log_access_changed',
      title: `Logs of jobs need the role ${role}`,
      details: { from: former, to: role },
    });
  });
  return { role };
}
