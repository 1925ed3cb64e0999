import { redConclusions } from '#contract/metrics/metrics.ts';
import type { EarlierRun, PreviousResult } from '#contract/runs/runs.ts';
import type { Tx } from '#platform/database/database.ts';
import { listEarlierRuns, type EarlierRunRow } from './earlier-run-store.ts';

const counted: ReadonlySet<string | null> = new Set(['success', ...redConclusions]);

/**
 * Runs that are searched, at first and at most. With a long history each of them lies on a page of its own, and the last few show most
 * often since when it is so.
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
  return previousResult(rows.filter((row) => row.is_same_workflow).map(earlierRun));
}

/** @param earlier runs of one workflow on one branch, newest first */
export function previousResult(
  earlier: readonly (Omit<EarlierRun, 'conclusion'> & { conclusion: string | null })[],
): PreviousResult | null {
  const ended = earlier.filter((run): run is EarlierRun => counted.has(run.conclusion));
  const newest = ended[0];
  if (newest === undefined) return null;
  const passed = (run: EarlierRun): boolean => run.conclusion === 'success';
  const other = ended.findIndex((run) => passed(run) !== passed(newest));
  const runs = other === -1 ? ended.length : other;
  return { newest, first: ended[runs - 1] ?? newest, runs, before: ended[runs] ?? null };
}

function earlierRun(row: EarlierRunRow) {
  return {
    runId: Number(row.run_id),
    runNumber: row.run_number === null ? null : Number(row.run_number),
    conclusion: row.conclusion,
    headSha: row.head_sha,
    actor: row.actor,
    createdAt: row.created_at.toISOString(),
  };
}
