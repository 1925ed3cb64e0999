import { createHash } from 'node:crypto';
import { queuedEvents } from '#contract/integrations/integrations.ts';
import type { Database } from '#platform/database/database.ts';
import { statusOf } from '#server/forges/errors.ts';
import type { WebhookSecrets } from '#server/integrations/webhook-secret.ts';
import type { RenewLease } from './task.ts';
import { deleteTask, type ForgeTask } from './task-store.ts';
import type { Forge, Forges, RepositoryWebhook } from '#server/forges/port.ts';
import {
  deleteRepositories,
  deleteRepository,
  upsertRepositories,
  listHooks,
  listHooksToSave,
  markHook,
  markRemovalRefused,
  type HookRow,
} from './store.ts';
import { dayMs } from '#platform/runtime/time-units.ts';

export interface ProvisionDeps {
  db: Database;
  forges: Forges;
  /** The webhook URL of an integration. */
  hookUrl(integrationId: string): string;
  /** Undefined when the integration was deleted. */
  readSecrets(integrationId: string): Promise<WebhookSecrets | undefined>;
}

/** About ten seconds of calls, so that other integrations do not wait long. */
const hooksPerRun = 50;
/** A refused removal is retried hourly for a day: the rows of a deleted integration are kept that long. */
const maxRefusedRuns = 24;

/**
 * Creates a hook in each repository of a linked installation, keeps its secret and events up to date, and removes it when the link
 * is gone. Returns the delay until the next run.
 */
export async function provisionHooks(
  deps: ProvisionDeps,
  task: ForgeTask,
  renewLease: RenewLease,
): Promise<number | undefined> {
  const secrets = task.isLinked ? await deps.readSecrets(task.integrationId) : undefined;
  // The end of the suspension makes the task due at once.
  if (task.isSuspended && !task.isGone) return dayMs;
  if (secrets === undefined) return removeHooks(deps, task, renewLease);
  if (task.isGone) return dayMs;
  const { db } = deps;
  const { integrationId, installationId } = task;
  const forge = deps.forges.ofInstallation(installationId);
  const hook = hookFor(deps.hookUrl(integrationId), secrets);
  const digest = digestOf(hook);
  const found = await forge.listRepositories();
  const rows = await db.withScope({ integrationId }, async (tx) => {
    await upsertRepositories(tx, task, found);
    return listHooksToSave(tx, task, digest, hooksPerRun);
  });
  for (const row of rows) {
    await renewLease();
    const saved = await saveHook(forge, row, hook);
    await db.withScope({ integrationId }, (tx) => markHook(tx, task, row.repository, { ...saved, digest }));
  }
  return rows.length === hooksPerRun ? 0 : dayMs;
}

/** Forges refuse a hook without events, so the hook of an integration without selected events is inactive. */
function hookFor(url: string, { current, events }: WebhookSecrets): RepositoryWebhook {
  const selected = queuedEvents.filter((event) => events.has(event));
  return {
    url,
    secret: current.toString(),
    events: selected.length > 0 ? selected : queuedEvents,
    isActive: selected.length > 0,
  };
}

function digestOf({ url, secret, events, isActive }: RepositoryWebhook): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([url, secret, events, isActive]))
    .digest();
}

/** Returns a refusal as text, so that one repository does not block the others. */
async function saveHook(
  forge: Forge,
  { repository, hook_id: hookId }: HookRow,
  hook: RepositoryWebhook,
): Promise<{ hookId: number | undefined; error: string | null }> {
  try {
    const known = hookId === null ? undefined : Number(hookId);
    return { hookId: await forge.saveWebhook(repository, hook, known), error: null };
  } catch (error) {
    const text = refusals[statusOf(error) ?? 0];
    if (text === undefined) throw error;
    return { hookId: undefined, error: text };
  }
}

const refusals: Record<number, string | undefined> = {
  403: 'The forge refused the webhook. The application needs permission to write repository webhooks.',
  404: 'The forge refused the webhook. The application needs permission to write repository webhooks.',
  422: 'The forge refused the webhook URL. The forge must be able to reach PUBLIC_URL.',
};

/**
 * Removes the hooks. A refused removal is retried and does not block the others. After the application was uninstalled it cannot
 * remove anything: its hooks stay until somebody deletes them at the forge.
 */
async function removeHooks(
  { db, forges }: ProvisionDeps,
  task: ForgeTask,
  renewLease: RenewLease,
): Promise<number | undefined> {
  const { integrationId, installationId } = task;
  const rows = task.isGone
    ? []
    : await db.withScope({ integrationId }, (tx) => listHooks(tx, task, hooksPerRun));
  const refused: unknown[] = [];
  for (const { repository, hook_id: hookId } of rows) {
    await renewLease();
    const refusal = await removeHook(forges.ofInstallation(installationId), repository, Number(hookId));
    if (refusal !== undefined) refused.push(refusal);
    await db.withScope({ integrationId }, (tx) =>
      refusal === undefined
        ? deleteRepository(tx, task, repository)
        : markRemovalRefused(tx, task, repository),
    );
  }
  if (rows.length === hooksPerRun && refused.length < rows.length) return 0;
  if (refused.length > 0 && task.failures < maxRefusedRuns) throw refused[0];
  await db.withScope({ integrationId }, async (tx) => {
    await deleteRepositories(tx, task);
    await deleteTask(tx, task);
  });
  return undefined;
}

/** Returns the error of a refusal (archived repository, missing permission); undefined when the hook is removed. */
async function removeHook(forge: Forge, repository: string, hookId: number): Promise<unknown> {
  try {
    await forge.removeWebhook(repository, hookId);
    return undefined;
  } catch (error) {
    if (refusals[statusOf(error) ?? 0] === undefined) throw error;
    return error;
  }
}
