import type { Database } from '#platform/database/database.ts';
import type { Log } from '#platform/runtime/log.ts';
import { notifyEveryMs } from '../policy.ts';
import { announceMessages } from './store.ts';

export interface Announcer {
  /** At once, or together with others a moment after the last one. */
  announce(): void;
  /** Resolves when everything was announced. */
  idle(): Promise<void>;
}

/**
 * Tells the receivers of other processes that something is there, in a statement of its own after the commit: a NOTIFY
 * inside the sends' transactions would make them commit one by one. Losing one costs the length of a poll at most.
 */
export function makeAnnouncer(db: Database, log: Log, sender: string): Announcer {
  let isWanted = false;
  let announcing: Promise<void> | undefined;

  const announceAll = async (): Promise<void> => {
    while (isWanted) {
      isWanted = false;
      await announceMessages(db, sender).catch((error: unknown) => {
        log.warn(
          { err: error },
          'other processes were not told of new messages; they find them when they next look',
        );
      });
      await pause(notifyEveryMs);
    }
    announcing = undefined;
  };

  return {
    announce: () => {
      isWanted = true;
      announcing ??= announceAll();
    },
    idle: async () => announcing,
  };
}

function pause(waitMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, waitMs));
}
