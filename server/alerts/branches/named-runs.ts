import type { Tx } from '#platform/database/database.ts';
import type { DequeuedCompletions } from '#server/alerts/evaluation/completion-store.ts';
import { branchOf } from '#contract/runs/merge-group.ts';
import { announceIncidents } from '../incidents/incident-change-store.ts';
import { branchKey } from './branch-keys.ts';
import {
  copyIncident,
  enqueueSuccesses,
  findIncidentAt,
  listBranches,
  listCounted,
  moveFailures,
  renameIncident,
} from './named-run-store.ts';

/**
 * Moves failures that were counted under incomplete names to the incident that their run belongs to: those on `fork:branch` when a late
 * event names the fork, and those of jobs whose run arrived after them. The caller holds the lock of the evaluation. It then evaluates
 * the successes of the branch once more: they may close what has moved.
 */
export async function moveToNamedRuns(
  tx: Tx,
  integrationId: string,
  { namedRunIds, completions }: Pick<DequeuedCompletions, 'namedRunIds' | 'completions'>,
): Promise<void> {
  const completed = completions.filter(({ event }) => event === 'run').map(({ runId }) => runId);
  const runIds = [...namedRunIds, ...completed];
  if (runIds.length === 0) return;
  const counted = (await listCounted(tx, integrationId, runIds)).map((row) => ({
    ...row,
    branch: branchOf(row.branch, row.headRepository, row.repository),
  }));
  const misplaced = counted.filter(
    ({ known, workflow, branch }) => known.workflow !== workflow || known.branch !== branch,
  );
  for (const { incidentId, runIds: own, isWhole, repository, workflow, branch } of misplaced) {
    const key = branchKey({ repository, workflow, branch });
    const known = await findIncidentAt(tx, integrationId, key, Math.max(...own));
    const target = known ?? (isWhole ? incidentId : await copyIncident(tx, integrationId, incidentId));
    if (known === undefined) await renameIncident(tx, integrationId, target, { workflow, branch, key });
    if (target !== incidentId)
      await moveFailures(tx, integrationId, { from: incidentId, to: target, runIds: own });
  }
  const named = [...namedRunIds, ...misplaced.flatMap((row) => row.runIds)];
  if (named.length > 0)
    await enqueueSuccesses(tx, integrationId, await listBranches(tx, integrationId, named), named);
  if (misplaced.length > 0) await announceIncidents(tx, integrationId);
}
