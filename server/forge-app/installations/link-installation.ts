import type { ErrorCode } from '#contract/base/errors.ts';
import type { Tx } from '#platform/database/database.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import type { Role } from '#contract/members/roles.ts';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import { addLogEntry } from '#server/event-log/add-entry.ts';
import { endLinkTasks, startLinkTasks } from '#server/forge-tasks/request-tasks.ts';
import { withRole, type Actor } from '#server/members/locks/lock-member-role.ts';
import { buildTaskMessage } from '#server/queue/messages/message.ts';
import type { Queue } from '#server/queue/queue.ts';
import { randomUUID } from 'node:crypto';
import type { Account } from '../app-event.ts';
import type { ForgeApi } from '../forge-api.ts';
import { RateLimited } from '#server/forges/errors.ts';
import { syncOrganizationMembers } from '#server/members/access/sync-organization-members.ts';
import { logMemberChanges } from '../log-changes.ts';
import { explainRefusal } from '../retry-plan.ts';
import type { SetupProof } from './setup-proof.ts';
import {
  countLinks,
  deleteLink,
  ensureInstallation,
  findForgeIdentity,
  insertLink,
  updateInstallation,
} from '../store.ts';

/** Of an integration. Each has tasks at the forge and a list of repositories. */
const maxLinks = 50;

export interface LinkDeps extends Pick<SharedDeps, 'db' | 'clock'> {
  queue: Pick<Queue, 'send'>;
  /** Undefined when no forge application is configured. */
  api: ForgeApi | undefined;
  proof: SetupProof;
  role: Role;
}

/**
 * Links an installation of the forge application. The forge must confirm that the caller administers the account: an
 * installation id alone proves nothing, because ids can be guessed. The worker reads the members. Linking again requests another
 * sync. @throws AppError
 */
export async function linkInstallation(
  deps: LinkDeps,
  actor: Actor,
  { installationId, proof }: { installationId: string; proof: string },
): Promise<void> {
  const { db, queue, clock } = deps;
  const { integrationId, actorId } = actor;
  await deps.proof.check(proof, actor);
  const at = new Date(clock());
  const account = await administeredAccount(deps, actorId, installationId);
  await withRole(db, actor, 'admin', async (tx) => {
    await ensureInstallation(tx, installationId, account, at);
    const { login } = account;
    await updateInstallation(tx, installationId, { login, isSuspended: false, isDeleted: false, at });
    if (!(await insertLink(tx, integrationId, installationId, actorId))) return;
    if ((await countLinks(tx, integrationId)) > maxLinks)
      throw new AppError('conflict', {
        detail: `An integration has at most ${maxLinks} linked installations. Unlink one first.`,
      });
    await startLinkTasks(tx, integrationId, installationId);
    await note(tx, actor, 'forge_app.linked', `${login} was linked`, installationId);
  });
  await requestSync(queue, integrationId, installationId);
}

/** Requests a member sync, in order with the integration's events. */
export async function requestSync(
  queue: Pick<Queue, 'send'>,
  integrationId: string,
  installationId: string,
): Promise<void> {
  const body = buildTaskMessage({ taskType: 'org_member_sync', integrationId, installationId });
  await queue.send({ groupId: integrationId, deduplicationId: randomUUID(), body });
}

/** Removes the link and the memberships that only came from it. @throws AppError `not_found` */
export async function unlinkInstallation(
  { db, role }: Pick<LinkDeps, 'db' | 'role'>,
  actor: Actor,
  installationId: string,
): Promise<void> {
  const { integrationId } = actor;
  await withRole(db, actor, 'admin', async (tx) => {
    const account = await deleteLink(tx, integrationId, installationId);
    if (account === undefined)
      throw new AppError('not_found', { detail: 'The installation is not linked to this integration.' });
    await endLinkTasks(tx, integrationId, installationId);
    const changes = await syncOrganizationMembers(tx, integrationId, role);
    await note(tx, actor, 'forge_app.unlinked', `${account} was unlinked`, installationId);
    await logMemberChanges(tx, integrationId, installationId, changes);
  });
}

function note(
  tx: Tx,
  { integrationId, actorId }: Actor,
  type: 'forge_app.linked' | 'forge_app.unlinked',
  title: string,
  installationId: string,
): Promise<void> {
  const details = { installationId };
  return addLogEntry(tx, { integrationId, type, severity: 'warning', title, actorId, details });
}

async function administeredAccount(
  { db, api }: LinkDeps,
  userId: string,
  installationId: string,
): Promise<Account> {
  if (api === undefined)
    throw new AppError('forge_app_not_configured', {
      detail: 'FORGE_APP_ID is not configured on this server.',
    });
  const identity = await db.withScope({ userId }, (tx) => findForgeIdentity(tx, userId));
  if (identity === undefined || identity.forge_id === null || identity.forge_login === null)
    throw refusal(
      'Your identity provider does not send your forge account. Sign in with an account that is linked to the forge.',
    );
  const person = { forgeId: Number(identity.forge_id), login: identity.forge_login };
  try {
    const found = await api.readInstallation(installationId);
    if (found === undefined) throw refusal('The installation does not exist.');
    if (found.isSuspended)
      throw new AppError('conflict', {
        detail: 'The installation is suspended. Unsuspend it at the forge first.',
      });
    if (await api.administers(installationId, found.account, person)) return found.account;
  } catch (error) {
    throw error instanceof AppError ? error : unavailable(error);
  }
  throw refusal('You do not administer the account of this installation at the forge.');
}

function unavailable(cause: unknown): AppError {
  const detail = explainRefusal(cause, 'read organization members');
  if (detail !== undefined) return new AppError('forge_unavailable', { detail, cause });
  return new AppError('forge_unavailable', {
    detail: 'The forge returned an unexpected answer. Try again shortly.',
    retryAfterSeconds: cause instanceof RateLimited ? Math.ceil((cause.waitMs ?? 60_000) / 1000) : 30,
    cause,
  });
}

function refusal(detail: string): AppError {
  const code: ErrorCode = 'installation_not_administered';
  return new AppError(code, { detail });
}
