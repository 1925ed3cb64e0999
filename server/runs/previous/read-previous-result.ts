import { isDecided } from '#contract/runs/conclusions.ts';
import type { EarlierRun, PreviousResult } from '#contract/runs/runs.ts';
import type { Tx } from '#platform/database/database.ts';
import { listEarlierRuns, type EarlierRunRow } from './earlier-run-store.ts';

/**
 * How many earlier runs are searched: a few first, and more only if the result did not change among these. With a long history each run is
 * on its own page of the table, so fewer runs are fewer reads.
 */
const scanned = { first: 20, most: 200 };

/** How the workflow ended on the branch before this run. */
export async function readPreviousResult(
  tx: Tx,
  integrationId: string,
  runId: number,
): Promise<PreviousResult | null> {
  const near = await listEarlierRuns(tx, integrationId, runId, scanned.first);
  const result = resultOf(near);
  if (near.length < scanned.first || result?.before) return result;
  return resultOf(await listEarlierRuns(tx, integrationId, runId, scanned.most));
}

function resultOf(rows: readonly EarlierRunRow[]): PreviousResult | null {
  return previousResult(rows.filter((row) => row.isSameWorkflow).map(earlierRun));
}

/** @param earlier runs of one workflow on one branch, newest first */
export function previousResult(
  earlier: readonly (Omit<EarlierRun, 'conclusion'> & { conclusion: string | null })[],
): PreviousResult | null {
  const ended = earlier.filter((run): run is EarlierRun => isDecided(run.conclusion));
  const newest = ended[0];
  if (newest === undefined) return null;
  const passed = (run: EarlierRun): boolean => run.conclusion === 'success';
  const other = ended.findIndex((run) => passed(run) !== passed(newest));
  const runs = other === -1 ? ended.length : other;
  return { newest, first: ended[runs - 1] ?? newest, runs, before: ended[runs] ?? null };
}

function earlierRun(row: EarlierRunRow) {
  const { isSameWorkflow: _, createdAt, ...run } = row;
  return { ...run, createdAt: createdAt.toISOString() };
}
