import { randomUUID } from 'node:crypto';

/** Lets receivers sleep until something was sent. One message wakes one receiver. */
export interface WakeUp {
  /** Tells this process' notifications from those of others. */
  readonly id: string;
  /** Wakes the longest-sleeping receiver. When nobody sleeps, answers false, and the next one to come does not sleep. */
  wakeOne(): boolean;
  /** Resolves at a wake-up, after `waitMs`, or when aborted. */
  sleep(waitMs: number, signal: AbortSignal): Promise<void>;
}

export function makeWakeUp(): WakeUp {
  const sleepers = new Set<() => void>();
  let isPending = false;
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
  };
}
