import { randomUUID } from 'node:crypto';
import type { LeasedMessages } from './append.ts';

/** Messages for a receiver of the process that sent them. */
export interface Handover extends LeasedMessages {
  lease: string;
}

/** Signals between the senders and receivers of one process. Receivers sleep until a message arrives; one message wakes one. */
export interface WakeUp {
  /** Identifies the notifications of this process. */
  readonly id: string;
  /**
   * Leases of sends whose outcome is unknown: no receiver has their messages. Each with the number of times that it must still
   * be looked for, because the send may be written later.
   */
  readonly lostLeases: Map<string, number>;
  /** Wakes the receiver that sleeps longest. Returns false when none sleeps; the next `sleep` then returns at once. */
  wakeOne(): boolean;
  /**
   * Takes the receiver that sleeps longest, if it accepts so many messages. The returned function must be called: it wakes the
   * receiver, with or without messages.
   */
  reserve(messages: number): ((handover: Handover | undefined) => void) | undefined;
  /** Resolves at a wake-up, after `waitMs`, or when aborted. */
  sleep(waitMs: number, signal: AbortSignal, maxMessages?: number): Promise<Handover | undefined>;
}

interface Sleeper {
  maxMessages: number;
  wake(handover?: Handover): void;
  /** Only `wake` ends the sleep from then on. */
  keep(): void;
}

export function makeWakeUp(): WakeUp {
  const sleepers = new Set<Sleeper>();
  let isPending = false;
  return {
    id: randomUUID(),
    lostLeases: new Map(),
    wakeOne: () => {
      const [first] = sleepers;
      if (first === undefined) isPending = true;
      else first.wake();
      return first !== undefined;
    },
    reserve: (messages) => {
      const [first] = sleepers;
      if (first === undefined || first.maxMessages < messages) return undefined;
      first.keep();
      return first.wake;
    },
    sleep: (waitMs, signal, maxMessages = 0) => {
      if (isPending || signal.aborted || waitMs <= 0) {
        isPending = false;
        return Promise.resolve(undefined);
      }
      return new Promise((resolve) => {
        const keep = (): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', end);
          sleepers.delete(sleeper);
        };
        const wake = (handover?: Handover): void => {
          keep();
          resolve(handover);
        };
        const end = (): void => wake();
        const sleeper = { maxMessages, wake, keep };
        const timer = setTimeout(end, waitMs);
        signal.addEventListener('abort', end, { once: true });
        sleepers.add(sleeper);
      });
    },
  };
}
