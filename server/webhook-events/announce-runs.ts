import type { RunFacts } from '#contract/integrations/webhook-payloads.ts';
import { sentAhead, type Tx } from '#platform/database/database.ts';
import { runObject, type RunRow } from '#server/runs/objects/run.ts';
import { isSettledRun } from '#server/runs/staleness.ts';
import { insertEvents, isNews } from './store.ts';

/**
 * Sends webhooks about completed runs, in the transaction that stores them. The query is not awaited. A run whose conclusion is found out
 * later is sent again.
 */
export function announceRuns(tx: Tx, runs: readonly RunRow[]): void {
  const now = Date.now();
  const events = runs
    .filter(({ status, completedAt }) => status === 'completed' && isNews(completedAt ?? now, now))
    .map((row) => ({
      integrationId: row.integrationId,
      key: `${row.runId}/${row.attempt}${isSettledRun(row.version) ? '/settled' : ''}`,
      facts: { integrationId: row.integrationId, run: runObject(row) } satisfies RunFacts,
    }));
  if (events.length > 0) void sentAhead(insertEvents(tx, 'run.completed', events));
}
