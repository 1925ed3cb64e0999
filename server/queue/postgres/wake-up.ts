import { randomUUID } from 'node:crypto';

/** What senders and receivers of one process tell each other. Receivers sleep until something was sent; one message wakes one. */
export interface WakeUp {
  /** Tells this process' notifications from those of others. */
  readonly id: string;
  /** Wakes the longest-sleeping receiver. When nobody sleeps, answers false, and the next one to come does not sleep. */
  wakeOne(): boolean;
  /** Resolves at a wake-up, after `waitMs`, or when aborted. */
  sleep(waitMs: number, signal: AbortSignal): Promise<void>;
  noteSending(isSending: boolean): void;
  /** Whether somebody waits for the answer to a send. */
  isSending(): boolean;
}

export function makeWakeUp(): WakeUp {
  const sleepers = new Set<() => void>();
  let isPending = false;
  let isSending = false;
  return {
    id: randomUUID(),
    wakeOne: () => {
      const [first] = sleepers;
      if (first === undefined) isPending = true;
      else first();
      return first !== undefined;
    },
    sleep: (waitMs, signal) => {
      if (isPending || signal.aborted || waitMs <= 0) {
        isPending = false;
        return Promise.resolve();
      }
      return new Promise((resolve) => {
        const wake = (): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', wake);
          sleepers.delete(wake);
          resolve();
        };
        const timer = setTimeout(wake, waitMs);
        signal.addEventListener('abort', wake, { once: true });
        sleepers.add(wake);
      });
    },
    noteSending: (now) => {
      isSending = now;
    },
    isSending: () => isSending,
  };
}
