import {
  maxFoundRuns,
  maxSearchedIntegrations,
  type FindRunsQuery,
  type RunsByIntegration,
} from '#contract/runs/found-runs.ts';
import type { Database } from '#platform/database/database.ts';
import { integrationIdsOf } from '#server/members/memberships-of-user.ts';
import { listRuns } from '#server/runs/list/list-runs.ts';

/** Runs scanned for a text, in all integrations together. What an index finds exactly is found in any number of runs. */
const maxScanned = 8000;

/** Finds runs in the integrations of a user, or of an API token. */
export async function findRuns(
  db: Database,
  userId: string,
  { q, first }: FindRunsQuery,
): Promise<RunsByIntegration> {
  const all = await integrationIdsOf(db, userId);
  const integrationIds = [...all.filter((id) => id === first), ...all.filter((id) => id !== first)].slice(
    0,
    maxSearchedIntegrations,
  );
  const scanLimit = Math.floor(maxScanned / Math.max(1, integrationIds.length));
  const found = await db.withScope({ integrationIds }, (tx) =>
    Promise.all(
      integrationIds.map(async (integrationId) => {
        const page = await listRuns(
          tx,
          integrationId,
          { ...(q !== undefined && { q }), limit: maxFoundRuns },
          scanLimit,
        );
        return { integrationId, items: page.items, hasMore: page.nextCursor !== null };
      }),
    ),
  );
  return {
    items: found.filter(({ items }) => items.length > 0),
    isComplete: integrationIds.length === all.length,
  };
}
