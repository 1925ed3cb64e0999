import type { Tx } from '#platform/database/database.ts';
import { forgetEvaluations } from '#server/alerts/evaluation/read-evaluation.ts';
import { deleteOutcomes } from './outcome-store.ts';
import { dayMs } from '#platform/runtime/time-units.ts';

const rowsAtOnce = 5000;

/** Deletes outcomes and rule evaluations with the age of their messages. Returns the number of rows; 0 when done. */
export async function deleteOldOutcomes(
  tx: Tx,
  integrationId: string,
  now: number,
  retentionDays: number,
): Promise<number> {
  const before = new Date(now - retentionDays * dayMs);
  const [outcomes, evaluations] = await Promise.all([
    deleteOutcomes(tx, integrationId, before, rowsAtOnce),
    forgetEvaluations(tx, integrationId, before, rowsAtOnce),
  ]);
  return outcomes + evaluations;
}
