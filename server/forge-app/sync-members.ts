import type { Role } from '#contract/roles.ts';
import type { Database } from '#platform/database/database.ts';
import type { Log } from '#platform/runtime/log.ts';
import { repeat } from '#platform/runtime/repeat.ts';
import type { Service } from '#platform/runtime/service.ts';
import type { ForgeApi } from './forge-api.ts';
import { logMemberChanges } from './log-changes.ts';
import { putOff } from './put-off.ts';
import { listLinkedIntegrations, syncMemberships } from './store.ts';
import {
  finishSync,
  keepMemberPage,
  leaseDueSync,
  listUnseenMembers,
  postponeSync,
  removeUnseenMembers,
  type DueSync,
} from './sync-store.ts';

export interface SyncDeps {
  db: Database;
  api: ForgeApi;
  log: Log;
  role: Role;
  everyMs?: number;
}

const lookMs = 500;
const dayMs = 86_400_000;
/** Longer than a page takes; whoever dies in the middle is followed by another process after it. */
const leaseMs = 60_000;

/**
 * Reads the members of linked organizations anew: when it is asked for, and daily. Page by page, so that what was read is
 * kept when a process ends or the forge's rate limit is reached; any number of processes share the work.
 */
export function makeMemberSync(deps: SyncDeps): Service {
  return repeat(deps.log, 'sync of organization members', deps.everyMs ?? lookMs, async (signal) => {
    while (!signal.aborted) {
      const sync = await deps.db.withScope('service', (tx) => leaseDueSync(tx, leaseMs));
      if (sync === undefined) return;
      await syncOne(deps, sync, signal);
    }
  });
}

async function syncOne(deps: SyncDeps, sync: DueSync, signal: AbortSignal): Promise<void> {
  const { db, log } = deps;
  try {
    // A person's account has no members; who owns it joins by hand.
    if (sync.account_type === 'Organization') await readMembers(deps, sync, signal);
    await applyToIntegrations(deps, sync);
  } catch (error) {
    // At the end of the program what was read is kept, and whoever has the lease next goes on.
    if (signal.aborted) return;
    const { waitMs, text } = putOff(error, sync.failures, 'read organization members');
    log.warn({ err: error, installationId: sync.installation_id, waitMs }, 'a sync of members was put off');
    await db.withScope('service', (tx) => postponeSync(tx, sync, waitMs, text));
  }
}

async function readMembers({ db, api }: SyncDeps, sync: DueSync, signal: AbortSignal): Promise<void> {
  const { installation_id: installationId, account_login: organization } = sync;
  for (let page = sync.next_page, isLast = false; !isLast; page++) {
    signal.throwIfAborted();
    const read = await api.listMembers(installationId, organization, page);
    isLast = read.isLast;
    await db.withScope('service', (tx) => keepMemberPage(tx, sync, read.members, page + 1, leaseMs));
  }
  // Pages move while they are read, so that somebody may be in none of them: who was not met is asked for.
  const unseen = await db.withScope('service', (tx) => listUnseenMembers(tx, sync));
  for (const { forge_id: forgeId, login } of unseen) {
    signal.throwIfAborted();
    if (await api.isMember(installationId, organization, login)) continue;
    await db.withScope('service', (tx) => removeUnseenMembers(tx, sync, [forgeId]));
  }
}

async function applyToIntegrations({ db, role }: SyncDeps, sync: DueSync): Promise<void> {
  const { installation_id: installationId } = sync;
  const integrationIds = await db.withScope({ installationId }, (tx) =>
    listLinkedIntegrations(tx, installationId),
  );
  for (const integrationId of integrationIds) {
    await db.withScope({ integrationId }, async (tx) => {
      const changes = await syncMemberships(tx, integrationId, role);
      await logMemberChanges(tx, integrationId, installationId, changes);
    });
  }
  const nextMs = integrationIds.length === 0 ? undefined : dayMs;
  await db.withScope('service', (tx) => finishSync(tx, sync, nextMs));
}
