import { setTimeout as wait } from 'node:timers/promises';

interface PaceOptions {
  /** Turns a second; undefined: unlimited. */
  rate?: number | undefined;
  /** No turns are given later than this, in milliseconds from the start. */
  endsAfterMs: number;
  signal: AbortSignal;
  /** Milliseconds of any monotonic clock. */
  now?: () => number;
  sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Depth of the token bucket: turns that are late by up to this time are caught up, others are dropped. */
const burstMs = 100;

/** Gives turns evenly at `rate`. A turn is true when the caller may continue, and false at the end. */
export function createPace(options: PaceOptions): () => Promise<boolean> {
  const { rate, endsAfterMs, signal, now = () => performance.now(), sleep = pause } = options;
  const startedAt = now();
  // Turn n is due at `base + n / rate`. Adding up intervals would add up rounding errors.
  let base = startedAt;
  let turns = 0;
  return async () => {
    const at = now();
    if (rate !== undefined && base + (turns * 1000) / rate < at - burstMs) [base, turns] = [at - burstMs, 0];
    const dueAt = rate === undefined ? at : base + (turns * 1000) / rate;
    turns += 1;
    if (Math.max(dueAt, at) - startedAt >= endsAfterMs) return false;
    if (dueAt > at) await sleep(dueAt - at, signal);
    return !signal.aborted;
  };
}

/** Waits, or returns early when `signal` is aborted. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal }).catch(() => {});
}
