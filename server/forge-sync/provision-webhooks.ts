import { createHash } from 'node:crypto';
import { queuedEvents } from '#contract/integrations/integrations.ts';
import type { Database } from '#platform/database/database.ts';
import { statusOf } from '#server/forges/errors.ts';
import type { WebhookSecrets } from '#server/integrations/secrets/webhook-secret.ts';
import type { Forge, Forges, RepositoryWebhook } from '#server/forges/port.ts';
import { dayMs } from '#platform/runtime/time-units.ts';
import { addLogEntry } from '#server/event-log/add-entry.ts';
import { deleteUnchangedTask, type ForgeTask } from './task-store.ts';
import {
  deleteEndedToken,
  deleteRepositories,
  deleteRepository,
  upsertRepositories,
  listWebhooks,
  listWebhooksToSave,
  markWebhook,
  markRemovalRefused,
  type WebhookRow,
  deleteUnchosen,
  listUnchosen,
  takeNearExpiry,
} from './store.ts';

const warningDays = 14;
const removalsPerRun = 50;

/** The event log warns once of each expiry. Forges that name no expiry give none to warn of. */
async function warnOfExpiry(db: Database, { integrationId }: ForgeTask): Promise<void> {
  await db.withScope({ integrationId }, async (tx) => {
    const near = await takeNearExpiry(tx, integrationId, warningDays);
    if (near === undefined) return;
    const { expires_at: at, account_login: account } = near;
    const day = at.toISOString().slice(0, 10);
    await addLogEntry(tx, {
      integrationId,
      type: 'forge_connection.expires',
      severity: 'warning',
      title: `The access token of ${account} expires on ${day}. An admin can replace it in the settings.`,
      details: { account, expiresAt: at.toISOString() },
    });
  });
}

/** Removes the webhooks of repositories that nobody chooses any more. A refused removal is retried the next day. */
async function removeUnchosen(
  db: Database,
  task: ForgeTask,
  remove: (repository: string, webhookId: number) => Promise<unknown>,
): Promise<void> {
  const { integrationId } = task;
  const rows = await db.withScope({ integrationId }, (tx) => listUnchosen(tx, task, removalsPerRun));
  for (const { repository, webhook_id: webhookId } of rows) {
    const refusal = webhookId === null ? undefined : await remove(repository, Number(webhookId));
    await db.withScope({ integrationId }, (tx) =>
      refusal === undefined ? deleteUnchosen(tx, task, repository) : markRemovalRefused(tx, task, repository),
    );
  }
}

export interface ProvisionDeps {
  db: Database;
  forges: Forges;
  /** The webhook URL of an integration. */
  webhookUrl(integrationId: string): string;
  /** Undefined when the integration was deleted. */
  readSecrets(integrationId: string): Promise<WebhookSecrets | undefined>;
}

/** About ten seconds of calls, so that other integrations do not wait long. */
const webhooksPerRun = 50;
/** A refused removal is retried hourly for a day: the rows of a deleted integration are kept that long. */
const maxRefusedRuns = 24;

/**
 * Creates a webhook in each repository of a linked installation, keeps its secret and events up to date, and removes it when the link
 * is gone. Returns the delay until the next run.
 */
export async function provisionWebhooks(deps: ProvisionDeps, task: ForgeTask): Promise<number | undefined> {
  const secrets = task.isLinked ? await deps.readSecrets(task.integrationId) : undefined;
  // The end of the suspension makes the task due at once.
  if (task.isSuspended && !task.isGone) return dayMs;
  if (secrets === undefined) return removeWebhooks(deps, task);
  if (task.isGone) return dayMs;
  const { db } = deps;
  const { integrationId, installationId } = task;
  const forge = await deps.forges.ofConnection(integrationId, installationId);
  const webhook = webhookFor(deps.webhookUrl(integrationId), secrets);
  const digest = digestOf(webhook);
  if (installationId === null) await prepareTokenRun(deps, task, forge);
  const found = installationId === null ? undefined : await forge.listRepositories();
  const rows = await db.withScope({ integrationId }, async (tx) => {
    if (found !== undefined) await upsertRepositories(tx, task, found);
    return listWebhooksToSave(tx, task, digest, webhooksPerRun);
  });
  for (const row of rows) {
    const saved = await saveWebhook(forge, row, webhook);
    await db.withScope({ integrationId }, (tx) =>
      markWebhook(tx, task, row.repository, { ...saved, digest }),
    );
  }
  return rows.length === webhooksPerRun ? 0 : dayMs;
}

/** Of an access token, the expiry is reported, and repositories that are no longer chosen lose their webhooks. */
async function prepareTokenRun({ db }: ProvisionDeps, task: ForgeTask, forge: Forge): Promise<void> {
  await warnOfExpiry(db, task);
  await removeUnchosen(db, task, async (repository, webhookId) => {
    return removeWebhook(forge, repository, webhookId);
  });
}

/** Forges refuse a webhook without events, so the webhook of an integration without selected events is inactive. */
function webhookFor(url: string, { current, events }: WebhookSecrets): RepositoryWebhook {
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
async function saveWebhook(
  forge: Forge,
  { repository, webhook_id: webhookId }: WebhookRow,
  webhook: RepositoryWebhook,
): Promise<{ webhookId: number | undefined; error: string | null }> {
  try {
    const known = webhookId === null ? undefined : Number(webhookId);
    return { webhookId: await forge.saveWebhook(repository, webhook, known), error: null };
  } catch (error) {
    const text = refusals[statusOf(error) ?? 0];
    if (text === undefined) throw error;
    return { webhookId: undefined, error: text };
  }
}

const refusals: Record<number, string | undefined> = {
  403: 'The forge refused the webhook. The forge connection needs permission to write repository webhooks.',
  404: 'The forge refused the webhook. The forge connection needs permission to write repository webhooks.',
  422: 'The forge refused the webhook URL. The forge must be able to reach PUBLIC_URL.',
};

/**
 * Removes the webhooks. A refused removal is retried and does not block the others. After the application was uninstalled it cannot
 * remove anything: its webhooks stay until somebody deletes them at the forge.
 */
async function removeWebhooks({ db, forges }: ProvisionDeps, task: ForgeTask): Promise<number | undefined> {
  const { integrationId, installationId } = task;
  const rows = task.isGone
    ? []
    : await db.withScope({ integrationId }, (tx) => listWebhooks(tx, task, webhooksPerRun));
  const forge = rows.length === 0 ? undefined : await forges.ofConnection(integrationId, installationId);
  const refused: unknown[] = [];
  for (const { repository, webhook_id: webhookId } of rows) {
    const refusal = forge && (await removeWebhook(forge, repository, Number(webhookId)));
    if (refusal !== undefined) refused.push(refusal);
    await db.withScope({ integrationId }, (tx) =>
      refusal === undefined
        ? deleteRepository(tx, task, repository)
        : markRemovalRefused(tx, task, repository),
    );
  }
  if (rows.length === webhooksPerRun && refused.length < rows.length) return 0;
  if (refused.length > 0 && task.failures < maxRefusedRuns) throw refused[0];
  await db.withScope({ integrationId }, async (tx) => {
    await deleteRepositories(tx, task);
    await deleteUnchangedTask(tx, task);
    if (installationId === null) await deleteEndedToken(tx, integrationId);
  });
  return undefined;
}

/** Returns the error of a refusal (archived repository, missing permission); undefined when the webhook is removed. */
async function removeWebhook(forge: Forge, repository: string, webhookId: number): Promise<unknown> {
  try {
    await forge.removeWebhook(repository, webhookId);
    return undefined;
  } catch (error) {
    if (refusals[statusOf(error) ?? 0] === undefined) throw error;
    return error;
  }
}
