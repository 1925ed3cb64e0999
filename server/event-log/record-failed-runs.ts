import { isFailed, type failedConclusions } from '#contract/runs/conclusions.ts';
import type { Tx } from '#platform/database/database.ts';
import { deleteFailedRuns, deleteOldEntries, insertFailedRuns, type FailedRunEntry } from './store.ts';
import { dayMs } from '#platform/runtime/time-units.ts';

/** A run of an event that was just stored. */
export interface StoredRun {
  integrationId: string;
  runId: number;
  attempt: number;
  status: string;
  conclusion: string | null;
  repository: string;
  workflowName: string | null;
  runNumber: number | null;
  /** As `branchOf` calls it. */
  branch: string | null;
}

const verbs: Record<(typeof failedConclusions)[number], string> = {
  failure: 'failed',
  timed_out: 'timed out',
  startup_failure: 'could not start',
};

/**
 * Logs failed runs in the transaction that stores them. Each attempt is logged once, also when its completion arrives after the next
 * attempt began. A failure whose conclusion may still change is logged when it `isSettled`. The query is not awaited.
 */
export function recordFailedRuns(
  tx: Tx,
  runs: readonly StoredRun[],
  { isSettled = false }: { isSettled?: boolean } = {},
): void {
  const entries = runs.flatMap(entryOf);
  if (entries.length > 0) insertFailedRuns(tx, entries, { isSettled });
}

/** Removes the entries of attempts that a newer run superseded, if they were logged before that was known. */
export async function retractFailedRuns(
  tx: Tx,
  integrationId: string,
  attempts: readonly Pick<StoredRun, 'runId' | 'attempt'>[],
): Promise<void> {
  if (attempts.length > 0) await deleteFailedRuns(tx, integrationId, attempts);
}

function entryOf(run: StoredRun): FailedRunEntry[] {
  const { integrationId, runId, attempt, repository, conclusion, branch } = run;
  if (run.status !== 'completed' || !isFailed(conclusion)) return [];
  const verb = verbs[conclusion];
  const workflow = run.workflowName ?? 'A workflow';
  const number = run.runNumber === null ? '' : ` #${run.runNumber}`;
  const where = `${branch === null ? '' : ` on ${branch}`} in ${repository}`;
  const title = `${workflow}${number} ${verb}${where}${attempt === 1 ? '' : `, attempt ${attempt}`}`;
  const details = { runId, attempt, repository, workflow: run.workflowName, branch, conclusion };
  return [{ integrationId, runId, attempt, title, details }];
}

const rowsAtOnce = 5000;

/** Incidents and warnings of an integration that is in use for years must not fill the database. */
const serviceDays = 365;

/**
 * Deletes log entries of failed runs after the retention of deliveries, and other entries of the service after a year. What people did is
 * kept. Returns the number of rows.
 */
export function forgetEntries(
  tx: Tx,
  integrationId: string,
  now: number,
  retentionDays: number,
): Promise<number> {
  const before = new Date(now - retentionDays * dayMs);
  const serviceBefore = new Date(now - Math.max(retentionDays, serviceDays) * dayMs);
  return deleteOldEntries(tx, integrationId, { before, serviceBefore, most: rowsAtOnce });
}
