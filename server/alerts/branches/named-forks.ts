import type { Tx } from '#platform/database/database.ts';
import { branchOf } from '#server/alerts/evaluation/name-completion.ts';
import { announceIncidents } from '../incidents/incident-change-store.ts';
import { branchKey } from './branch-keys.ts';
import {
  copyIncident,
  enqueueSuccesses,
  findIncidentAt,
  listBranches,
  listMisplaced,
  moveFailures,
  renameBranch,
} from './named-fork-store.ts';

/**
 * Moves what was counted on `fork:branch` to the branch of the fork, for runs whose fork a late event names. The caller holds the lock of
 * the evaluation. It then evaluates the successes of the branch once more: they may close what has moved.
 */
export async function moveToNamedForks(
  tx: Tx,
  integrationId: string,
  runIds: readonly number[],
): Promise<void> {
  if (runIds.length === 0) return;
  const moves = (await listMisplaced(tx, integrationId, runIds)).map((row) => ({
    ...row,
    to: branchOf(row.headBranch, row.headRepository, row.repository),
  }));
  for (const { incidentId, runIds: own, isWhole, to, ...place } of moves) {
    const key = branchKey({ ...place, branch: to });
    const known = await findIncidentAt(tx, integrationId, key, Math.max(...own));
    const target = known ?? (isWhole ? incidentId : await copyIncident(tx, integrationId, incidentId));
    if (known === undefined) await renameBranch(tx, integrationId, target, to, key);
    if (target !== incidentId)
      await moveFailures(tx, integrationId, { from: incidentId, to: target, runIds: own });
  }
  await enqueueSuccesses(tx, integrationId, await listBranches(tx, integrationId, runIds), runIds);
  if (moves.length > 0) await announceIncidents(tx, integrationId);
}
