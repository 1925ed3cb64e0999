import type { TestDatabase } from '#test/support/database/test-database.ts';

/** Makes a task of the forge due that waits for its next time. */
export async function runTaskNow(
  { asOwner }: TestDatabase,
  integrationId: string,
  kind: 'unfinished' | 'webhooks',
): Promise<void> {
  await asOwner('update forge_tasks set due_at = now() where integration_id = $1 and kind = $2', [
    integrationId,
    kind,
  ]);
}
