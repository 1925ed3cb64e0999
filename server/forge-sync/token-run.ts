import type { Database } from '#platform/database/database.ts';
import { addLogEntry } from '#server/event-log/add-entry.ts';
import { deleteUnchosen, listUnchosen, markRemovalRefused, takeNearExpiry } from './store.ts';
import type { ForgeTask } from './task-store.ts';

const warningDays = 14;
const removalsPerRun = 50;

/** The event log warns once of each expiry. Forges that name no expiry give none to warn of. */
export async function warnOfExpiry(db: Database, { integrationId }: ForgeTask): Promise<void> {
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
export async function removeUnchosen(
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
