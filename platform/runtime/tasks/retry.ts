import { setTimeout as delay } from 'node:timers/promises';
import { backOffMs, type BackOff } from '#contract/base/back-off.ts';

export interface RetryOptions {
  backOff: BackOff;
  /** Ends the wait. The attempt in progress may finish. */
  signal?: AbortSignal | undefined;
  /** Waits before the first attempt too, because an earlier one failed. */
  waitsFirst?: boolean;
  /** Called after each failure. Throws to give up. */
  onFailure?(error: unknown, waitMs: number): void;
}

/** Repeats `attempt` until it succeeds. Rejects when `onFailure` throws, or with the reason of an aborted signal. */
export async function retry<T>(
  attempt: () => Promise<T>,
  { backOff, signal, waitsFirst = false, onFailure }: RetryOptions,
): Promise<T> {
  const pause = (waitMs: number) => delay(waitMs, undefined, signal && { signal });
  let failures = 0;
  if (waitsFirst) await pause(backOffMs(backOff, failures++));
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      signal?.throwIfAborted();
      const waitMs = backOffMs(backOff, failures++);
      onFailure?.(error, waitMs);
      await pause(waitMs);
    }
  }
}
