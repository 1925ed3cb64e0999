import type { Tx } from '#platform/database/database.ts';
import { isDatabaseAway } from '#platform/database/database-error.ts';
import type { AppWork, AppWorker } from '#server/forge-app/app-work.ts';
import type { MessageFailure } from '#server/queue/queue.ts';
import { failureOf } from './store-events.ts';

/**
 * Applies app events and tasks in order, inside the caller's transaction. With `together: false` each runs behind a savepoint
 * and fails on its own.
 */
export async function applyAppWork(
  tx: Tx,
  appWorker: AppWorker,
  works: readonly { messageId: string; work: AppWork }[],
  { together, linked }: { together: boolean; linked: readonly string[] },
): Promise<MessageFailure[]> {
  const failures: MessageFailure[] = [];
  for (const { messageId, work } of works) {
    if (together) {
      await appWorker.apply(tx, work, linked);
      continue;
    }
    await tx.query('savepoint one_work');
    try {
      await appWorker.apply(tx, work, linked);
      await tx.query('release savepoint one_work');
    } catch (error) {
      if (isDatabaseAway(error)) throw error;
      await tx.query('rollback to savepoint one_work');
      failures.push({ messageId, ...failureOf(error) });
    }
  }
  return failures;
}
