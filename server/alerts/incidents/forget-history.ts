import type { Database } from '#platform/database/database.ts';
import { deleteOldHistory } from './incident-list-store.ts';
import type { AlertPolicy } from '#server/alerts/policy.ts';
import { dayMs } from '#platform/runtime/time-units.ts';

/** Also of integrations whose rules are all off or gone. Returns how many rows; 0 when there are no more. */
export async function forgetHistory(
  db: Database,
  integrationId: string,
  now: number,
  { keepDays }: Pick<AlertPolicy, 'keepDays'>,
): Promise<number> {
  return db.withScope({ integrationId }, (tx) =>
    deleteOldHistory(tx, integrationId, new Date(now - keepDays * dayMs)),
  );
}
