import { isFailed } from '#contract/runs/conclusions.ts';
import { sentAhead, type Tx } from '#platform/database/database.ts';
import { requestNotifications } from './pending-store.ts';

/** A run of an event that was just stored. */
export interface StoredRun {
  integrationId: string;
  runId: number;
  attempt: number;
  status: string;
  conclusion: string | null;
  actor: string | null;
  triggeringActor: string | null;
}

/** Notes completed runs in the transaction that stores them. The query is not awaited. */
export function enqueueRuns(tx: Tx, runs: readonly StoredRun[]): void {
  const completed = runs.filter(
    ({ status, conclusion }) => status === 'completed' && (conclusion === 'success' || isFailed(conclusion)),
  );
  if (completed.length === 0) return;
  const pending = completed.map(({ integrationId, runId, attempt, conclusion, ...run }) => ({
    integrationId,
    runId,
    attempt,
    actor: run.triggeringActor ?? run.actor,
    isGreen: conclusion === 'success',
  }));
  void sentAhead(requestNotifications(tx, pending));
}
