import type { Role } from '#contract/members/roles.ts';
import type { Tx } from '#platform/database/database.ts';
import type { Service } from '#platform/runtime/service.ts';
import type { ForgeApi, ForgeMember, ReadInstallation } from '../forge-api.ts';
import { runWhenDue } from '#server/forge-tasks/run-when-due.ts';
import { syncOrganizationMembers } from '#server/members/access/sync-organization-members.ts';
import { logMemberChanges } from '../log-changes.ts';
import { planRetry } from '../retry-plan.ts';
import { forgetEach, listAffectedIntegrations, requestFullSync } from '../app-work.ts';
import { listLinkedIntegrations, updateInstallation } from '../store.ts';
import {
  finishSync,
  saveMemberPage,
  leaseDueSync,
  listUnseenMembers,
  pauseSync,
  rescheduleSync,
  removeUnseenMembers,
  skipSync,
  type DueSync,
} from './sync-store.ts';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import { hourMs, dayMs } from '#platform/runtime/time-units.ts';

export interface SyncDeps extends Pick<SharedDeps, 'db' | 'log' | 'listener'> {
  api: ForgeApi;
  role: Role;
  /** A sync that takes longer pauses for the others. */
  longestMs?: number;
}

/** Longer than reading a page takes. If a process dies, another one continues after this time. */
const leaseMs = 60_000;
/** Checks that are stored together: a stop or a rate limit loses few. */
const checkedAtOnce = 50;
/** Checks are stored at least this often, which renews the lease. */
const renewMs = 20_000;
/** A hundred members each. Those on later pages are checked like missing ones, so that a list without an end does no harm. */
const maxPages = 1000;
/** The syncs of other installations wait. */
const defaultLongestMs = 300_000;

/**
 * Syncs the members of linked organizations, on request and daily. Each page is stored at once, so a stop or a rate limit loses
 * no progress. Any number of processes share the work.
 */
export function makeMemberSync(deps: SyncDeps): Service {
  return runWhenDue(deps, 'sync of organization members', async (signal) => {
    while (!signal.aborted) {
      const sync = await deps.db.withScope('service', (tx) => leaseDueSync(tx, leaseMs));
      if (sync === undefined) return;
      await syncOne(deps, sync, signal);
    }
  });
}

async function syncOne(deps: SyncDeps, sync: DueSync, signal: AbortSignal): Promise<void> {
  const { db, log } = deps;
  const { installation_id: installationId } = sync;
  const inTransaction = (change: (tx: Tx) => Promise<void>) => db.withScope('service', change);
  try {
    const found = await readInstallation(deps, sync);
    if (found?.isSuspended) return await inTransaction((tx) => skipSync(tx, sync, dayMs));
    const isLinked = (await linkedTo(deps, sync)).length > 0;
    if (!isLinked) return await inTransaction((tx) => skipSync(tx, sync, undefined));
    if (found === undefined)
      return await inTransaction((tx) => rescheduleSync(tx, sync, hourMs, unknownText));
    // A personal account has no members; its owner joins by invitation.
    if (found.account.type === 'Organization') {
      const isComplete = await readMembers(deps, { ...sync, account_login: found.account.login }, signal);
      if (!isComplete) return await inTransaction((tx) => pauseSync(tx, sync));
    }
    await applyToIntegrations(deps, sync);
    await inTransaction((tx) => finishSync(tx, sync, dayMs));
  } catch (error) {
    // On shutdown the next process that takes the lease continues from the stored page.
    if (signal.aborted) return;
    const { waitMs, text } = planRetry(error, sync.failures, 'read organization members');
    log.warn({ err: error, installationId, waitMs }, 'member sync rescheduled');
    await inTransaction((tx) => rescheduleSync(tx, sync, waitMs, text));
  }
}

function linkedTo({ db }: SyncDeps, { installation_id: installationId }: DueSync): Promise<string[]> {
  return db.withScope({ installationId }, (tx) => listLinkedIntegrations(tx, installationId));
}

/** Removes no members: a wrong FORGE_APP_ID causes the same answer. */
const unknownText =
  'The forge does not know this installation (404). If the application was uninstalled, unlink it here.';

/** Applies a rename or the end of a suspension whose webhook was lost. */
async function readInstallation(
  { db, api }: SyncDeps,
  { installation_id: installationId, ...known }: DueSync,
): Promise<ReadInstallation | undefined> {
  const found = await api.readInstallation(installationId);
  if (found === undefined) return undefined;
  const { isSuspended, account } = found;
  const integrationIds = await listAffectedIntegrations(db, installationId);
  await db.withScope({ integrationIds }, async (tx) => {
    const change = { login: account.login, isSuspended, at: known.leased_at };
    const isNews = await updateInstallation(tx, installationId, change);
    if (isNews && ((known.is_suspended && !isSuspended) || known.account_login !== account.login))
      await requestFullSync(tx, installationId);
  });
  return found;
}

/** False when the time is up. */
async function readMembers(deps: SyncDeps, sync: DueSync, signal: AbortSignal): Promise<boolean> {
  const { db, api, longestMs = defaultLongestMs } = deps;
  const { installation_id: installationId, account_login: organization } = sync;
  const endsAt = performance.now() + longestMs;
  let page = sync.next_page;
  const save = (members: readonly ForgeMember[]) =>
    db.withScope('service', (tx) => saveMemberPage(tx, sync, members, page, leaseMs));
  for (let isLast = page > maxPages; !isLast;) {
    signal.throwIfAborted();
    const read = await api.listMembers(installationId, organization, page);
    page += 1;
    isLast = read.isLast || page > maxPages;
    if (isLast) page = maxPages + 1;
    await save(read.members);
    if (performance.now() > endsAt) return false;
  }
  // Pages shift while they are read, so a member may appear on none: check each missing one.
  const unseen = await db.withScope('service', (tx) => listUnseenMembers(tx, sync));
  for (let checked = 0; checked < unseen.length;) {
    const renewAt = performance.now() + renewMs;
    const gone: string[] = [];
    const seen: ForgeMember[] = [];
    for (const { forge_id: forgeId, login } of unseen.slice(checked, checked + checkedAtOnce)) {
      signal.throwIfAborted();
      if (await api.isMember(installationId, organization, login)) seen.push({ id: Number(forgeId), login });
      else gone.push(forgeId);
      checked += 1;
      if (performance.now() > Math.min(renewAt, endsAt)) break;
    }
    if (gone.length > 0) await removeMembers(deps, sync, gone);
    await save(seen);
    if (checked < unseen.length && performance.now() > endsAt) return false;
  }
  return true;
}

/** Under its former name, an organization has no members: nobody is removed unless it still has the name that was asked for. */
async function removeMembers(deps: SyncDeps, sync: DueSync, forgeIds: readonly string[]): Promise<void> {
  const found = await deps.api.readInstallation(sync.installation_id);
  if (found?.account.login !== sync.account_login || found.isSuspended)
    throw new Error('the installation changed while its members were checked');
  const integrationIds = await linkedTo(deps, sync);
  await deps.db.withScope({ integrationIds }, async (tx) => {
    const removed = await removeUnseenMembers(tx, sync, forgeIds);
    await forgetEach(tx, integrationIds, removed);
  });
}

async function applyToIntegrations(deps: SyncDeps, sync: DueSync): Promise<void> {
  const { db, role } = deps;
  const { installation_id: installationId } = sync;
  for (const integrationId of await linkedTo(deps, sync)) {
    await db.withScope({ integrationId }, async (tx) => {
      const changes = await syncOrganizationMembers(tx, integrationId, role);
      await logMemberChanges(tx, integrationId, installationId, changes);
    });
  }
}
