import type { Tx } from '#platform/database/database.ts';
import type { AppWork, AppWorker } from '#server/forge-app/app-work.ts';
import type { MessageFailure } from '#server/queue/queue.ts';
import { behindSavepoint } from './store-events.ts';

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
    const apply = () => appWorker.apply(tx, work, linked);
    await (together ? apply() : behindSavepoint(tx, messageId, failures, apply));
  }
  return failures;
}
