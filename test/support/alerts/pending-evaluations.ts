import type { TestDatabase } from '#test/support/database/test-database.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

/** How many completions of an integration no rule has evaluated yet. */
export async function pendingEvaluations(database: TestDatabase, integrationId: string): Promise<number> {
  const rows = await database.asOwner('select from alert_candidates where group_id = $1', [integrationId]);
  return rows.length;
}

export const untilEvaluated = (database: TestDatabase, integrationId: string): Promise<true> =>
  waitUntil(
    'all completions to be evaluated',
    async () => (await pendingEvaluations(database, integrationId)) === 0,
  );
