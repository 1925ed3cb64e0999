import type { Role } from '#contract/roles.ts';
import type { Database, Tx } from '#platform/database/database.ts';
import { addLogEntry } from '#server/event-log/add-entry.ts';
import type { AppEvent } from './app-event.ts';
import { logMemberChanges } from './log-changes.ts';
import {
  deleteLink,
  ensureInstallation,
  listLinkedIntegrations,
  makeSyncDue,
  markUninstalled,
  syncMemberships,
  updateInstallation,
  upsertOrganizationMember,
} from './store.ts';

/** The work that a message of an installation's group, or a task, requests. */
export type AppWork =
  | { kind: 'sync'; installationId: string; integrationId: string }
  | { kind: 'nothing' }
  | AppEvent;

/** Applies the application's work of a batch, in the transaction of the batch. */
export interface AppWorker {
  /** The integrations whose rows the work may change. The transaction needs them in scope. */
  integrationsOf(work: readonly AppWork[]): Promise<string[]>;
  apply(tx: Tx, work: AppWork, integrationIds: readonly string[]): Promise<void>;
}

export function makeAppWorker({ db, role }: { db: Database; role: Role }): AppWorker {
  const linkedTo = (installationId: string): Promise<string[]> =>
    db.withScope({ installationId }, (tx) => listLinkedIntegrations(tx, installationId));
  return {
    integrationsOf: async (work) => {
      const ids = work.flatMap((each) => (each.kind === 'nothing' ? [] : [each.installationId]));
      const linked = await Promise.all([...new Set(ids)].map(linkedTo));
      return [...new Set(linked.flat())];
    },
    apply: async (tx, work, integrationIds) => {
      if (work.kind === 'nothing') return;
      if (work.kind === 'sync') return makeSyncDue(tx, work.installationId);
      await applyEvent(tx, work, { integrationIds, role });
    },
  };
}

interface Linked {
  integrationIds: readonly string[];
  role: Role;
}

async function applyEvent(tx: Tx, event: AppEvent, linked: Linked): Promise<void> {
  const { installationId, account, at } = event;
  await ensureInstallation(tx, installationId, account, at);
  if (event.kind === 'member_added' || event.kind === 'member_removed') {
    const { id: forgeId, login } = event.member;
    const isMember = event.kind === 'member_added';
    if (await upsertOrganizationMember(tx, { installationId, forgeId, login, isMember, at }))
      await syncEach(tx, installationId, linked, [forgeId]);
    return;
  }
  if (event.kind === 'uninstalled') {
    await markUninstalled(tx, installationId, at);
    await endLinks(tx, installationId, linked);
    return;
  }
  await updateInstallation(tx, installationId, {
    login: account.login,
    at,
    ...(event.kind === 'suspended' ? { isSuspended: true } : {}),
    ...(event.kind === 'resumed' ? { isSuspended: false } : {}),
  });
  // Even if the event is stale: stored rows do not contain permissions, so they may have changed. After a suspension even an
  // unlinked installation is synced, because its hooks must still be removed.
  if (event.kind === 'resumed' || (event.kind !== 'suspended' && linked.integrationIds.length > 0))
    await makeSyncDue(tx, installationId);
}

/** A link created in the meantime is not in the list; creating it requests a full sync. */
async function syncEach(
  tx: Tx,
  installationId: string,
  { integrationIds, role }: Linked,
  forgeIds?: readonly number[],
): Promise<void> {
  for (const integrationId of integrationIds) {
    const changes = await syncMemberships(tx, integrationId, role, forgeIds);
    await logMemberChanges(tx, integrationId, installationId, changes);
  }
}

/** Removes the links, and the members who joined only through the organization. */
async function endLinks(tx: Tx, installationId: string, linked: Linked): Promise<void> {
  await syncEach(tx, installationId, linked);
  for (const integrationId of linked.integrationIds) {
    const account = await deleteLink(tx, integrationId, installationId);
    if (account === undefined) continue;
    await addLogEntry(tx, {
      integrationId,
      type: 'forge_app.uninstalled',
      severity: 'warning',
      title: `The forge application was uninstalled from ${account}`,
      actorId: null,
      details: { installationId, account },
    });
  }
}
