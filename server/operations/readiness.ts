import type { Database } from '#platform/database/database.ts';
import type { Queue } from '#server/queue/queue.ts';

export interface ReadinessDeps {
  db: Database;
  queue: Pick<Queue, 'ping'>;
  /** Milliseconds of a clock that is never set; given by tests. */
  now?: () => number;
}

const freshMs = 1000;

/**
 * Whether database and queue answer; rejects when they do not. They are asked once at a time and at most once a second,
 * since anybody may ask for `/readyz`.
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
