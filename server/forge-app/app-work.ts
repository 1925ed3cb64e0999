import type { Role } from '#contract/members/roles.ts';
import type { Database, Tx } from '#platform/database/database.ts';
import { addLogEntry } from '#server/event-log/add-entry.ts';
import {
  endLinkTasks,
  listIntegrationsWithTasks,
  requestInstallationTasks,
} from '#server/forge-tasks/request-tasks.ts';
import type { AppEvent } from './app-event.ts';
import {
  forgetDepartedMembers,
  syncOrganizationMembers,
} from '#server/members/access/sync-organization-members.ts';
import { logMemberChanges } from './log-changes.ts';
import {
  deleteLink,
  ensureInstallation,
  listLinkedIntegrations,
  makeSyncDue,
  markUninstalled,
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
  return {
    integrationsOf: async (work) => {
      const ids = work.flatMap((each) => (each.kind === 'nothing' ? [] : [each.installationId]));
      const found = await Promise.all([...new Set(ids)].map((id) => listAffectedIntegrations(db, id)));
      return [...new Set(found.flat())];
    },
    apply: async (tx, work, affected) => {
      if (work.kind === 'nothing') return;
      if (work.kind === 'sync') return requestFullSync(tx, work.installationId);
      await applyEvent(tx, work, { affected, role });
    },
  };
}

interface Linked {
  integrationIds: readonly string[];
  role: Role;
}

/** `affected` belongs to the batch: it also has integrations that do not link this installation. */
async function applyEvent(
  tx: Tx,
  event: AppEvent,
  { affected, role }: { affected: readonly string[]; role: Role },
): Promise<void> {
  const { installationId, account, at } = event;
  await ensureInstallation(tx, installationId, account, at);
  // A link created in the meantime is not in scope. Creating it requests a full sync.
  const integrationIds = (await listLinkedIntegrations(tx, installationId)).filter((id) =>
    affected.includes(id),
  );
  const linked = { integrationIds, role };
  if (event.kind === 'member_added' || event.kind === 'member_removed') {
    const { id: forgeId, login } = event.member;
    const isMember = event.kind === 'member_added';
    const change = await upsertOrganizationMember(tx, { installationId, forgeId, login, isMember, at });
    if (change === 'stale') return;
    if (change === 'left') await forgetEach(tx, integrationIds, [forgeId]);
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
  // unlinked installation is synced, because its webhooks must still be removed.
  if (event.kind === 'resumed' || (event.kind !== 'suspended' && affected.length > 0))
    await requestFullSync(tx, installationId);
}

/** The integrations that have the installation linked, or still have webhooks of it to remove. */
export function listAffectedIntegrations(db: Database, installationId: string): Promise<string[]> {
  return db.withScope({ installationId }, async (tx) => [
    ...(await listLinkedIntegrations(tx, installationId)),
    ...(await listIntegrationsWithTasks(tx, installationId)),
  ]);
}

/** Makes the syncs of members, webhooks and unfinished runs due. Needs the affected integrations in scope. */
export async function requestFullSync(tx: Tx, installationId: string): Promise<void> {
  await makeSyncDue(tx, installationId);
  await requestInstallationTasks(tx, installationId);
}

/** People who left the organization may join again with it. */
export async function forgetEach(
  tx: Tx,
  integrationIds: readonly string[],
  forgeIds: readonly (number | string)[],
): Promise<void> {
  for (const integrationId of integrationIds) await forgetDepartedMembers(tx, integrationId, forgeIds);
}

async function syncEach(
  tx: Tx,
  installationId: string,
  { integrationIds, role }: Linked,
  forgeIds?: readonly number[],
): Promise<void> {
  for (const integrationId of integrationIds) {
    const changes = await syncOrganizationMembers(tx, integrationId, role, forgeIds);
    await logMemberChanges(tx, integrationId, installationId, changes);
  }
}

/** Removes the links, and the members who joined only through the organization. */
async function endLinks(tx: Tx, installationId: string, linked: Linked): Promise<void> {
  await syncEach(tx, installationId, linked);
  for (const integrationId of linked.integrationIds) {
    const account = await deleteLink(tx, integrationId, installationId);
    if (account === undefined) continue;
    await endLinkTasks(tx, integrationId, installationId);
    await addLogEntry(tx, {
      integrationId,
      type: 'forge_app.uninstalled',
      severity: 'warning',
      title: `The forge application was uninstalled from ${account}`,
      details: { installationId, account },
    });
  }
}
