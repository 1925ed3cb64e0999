import type { TestDatabase } from '#test/support/database/test-database.ts';
import { countRows } from '#test/support/database/rows.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

/** How many completions of an integration no rule has evaluated yet. */
export const pendingEvaluations = (database: TestDatabase, integrationId: string): Promise<number> =>
  countRows(database, 'pending_evaluations', { group_id: integrationId });

export const untilEvaluated = (database: TestDatabase, integrationId: string): Promise<true> =>
  waitUntil(
    'all completions to be evaluated',
    async () => (await pendingEvaluations(database, integrationId)) === 0,
  );
