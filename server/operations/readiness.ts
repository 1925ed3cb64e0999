import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '#platform/database/database.ts';
import type { Queue } from '#server/queue/queue.ts';

export interface ReadinessDeps {
  db: Database;
  queue: Pick<Queue, 'ping'>;
  /** A monotonic clock in milliseconds. Tests replace it. */
  now?: () => number;
}

const freshMs = 1000;

/** A database that is frozen keeps a statement waiting for much longer than load balancers wait for an answer. */
const longestAnswerMs = 2000;

/**
 * Checks that database and queue answer; rejects when they do not, or not within two seconds. Requests share one check, at most one
 * per second, because `/readyz` needs no authentication.
 */
export function makeReadiness({ db, queue, now = () => performance.now() }: ReadinessDeps) {
  const ask = async (): Promise<void> => {
    await Promise.all([
      db.withScope('service', (tx) => tx.query('select 1'), { timeoutMs: longestAnswerMs }),
      queue.ping(),
    ]);
  };
  let asked: Promise<void> | undefined;
  let freshUntil = 0;
  return (): Promise<void> => {
    if (asked === undefined || now() >= freshUntil) {
      freshUntil = Infinity;
      asked = ask().finally(() => {
        freshUntil = now() + freshMs;
      });
    }
    return Promise.race([asked, hasTakenTooLong()]);
  };
}

async function hasTakenTooLong(): Promise<never> {
  await delay(longestAnswerMs, undefined, { ref: false });
  throw new Error(`no answer of database and queue within ${longestAnswerMs} ms`);
}
