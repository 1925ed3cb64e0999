import type { Database } from '#platform/database/database.ts';
import type { Log } from '#platform/runtime/log.ts';
import { notifyEveryMs } from '../policy.ts';
import { announceMessages } from './store.ts';

export interface Announcer {
  /** Notifies at once, or combined with other calls shortly after the last notification. */
  announce(): void;
  /** Resolves when every notification was sent. */
  idle(): Promise<void>;
}

/**
 * Notifies the receivers of other processes about new messages in a separate statement after the commit: a NOTIFY inside the
 * sends' transactions would make them commit one by one. A lost notification delays a message by one poll at most.
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
          'notification of other processes failed; they receive the messages at their next poll',
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
