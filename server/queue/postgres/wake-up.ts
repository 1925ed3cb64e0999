import { randomUUID } from 'node:crypto';

/** Signals between the senders and receivers of one process. Receivers sleep until a message arrives; one message wakes one. */
export interface WakeUp {
  /** Identifies the notifications of this process. */
  readonly id: string;
  /** Wakes the receiver that sleeps longest. Returns false when none sleeps; the next `sleep` then returns at once. */
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
