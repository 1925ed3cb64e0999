import type { Database } from '#platform/database/database.ts';
import type { Queue } from '#server/queue/queue.ts';

export interface ReadinessDeps {
  db: Database;
  queue: Pick<Queue, 'ping'>;
  /** A monotonic clock in milliseconds. Tests replace it. */
  now?: () => number;
}

const freshMs = 1000;

/**
 * Checks that database and queue answer; rejects when they do not. Requests share one check, at most one per second, because
 * `/readyz` needs no authentication.
 */
export function makeReadiness({ db, queue, now = () => performance.now() }: ReadinessDeps) {
  const ask = async (): Promise<void> => {
    await Promise.all([db.withScope('service', (tx) => tx.query('select 1')), queue.ping()]);
  };
  let asked: Promise<void> | undefined;
  let freshUntil = 0;
  return (): Promise<void> => {
    if (asked !== undefined && now() < freshUntil) return asked;
    freshUntil = Infinity;
    asked = ask().finally(() => {
      freshUntil = now() + freshMs;
    });
    return asked;
  };
}
