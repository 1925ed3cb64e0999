import { setTimeout as wait } from 'node:timers/promises';

interface PaceOptions {
  /** Turns a second; undefined for as many as are asked for. */
  rate?: number | undefined;
  /** No turn is given from then on, in milliseconds from the start. */
  endsAfterMs: number;
  signal: AbortSignal;
  /** Milliseconds of any monotonic clock. */
  now?: () => number;
  sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** A token bucket this deep lets late turns catch up; what was missed beyond it is never made up for. */
const burstMs = 100;

/** Hands out turns evenly at `rate`. A turn is true when the caller may go on, false once it is over. */
export function createPace(options: PaceOptions): () => Promise<boolean> {
  const { rate, endsAfterMs, signal, now = () => performance.now(), sleep = pause } = options;
  const startedAt = now();
  // Turn n is due at `base + n / rate`; adding up intervals instead would add up their rounding.
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

/** Waits, but not longer than until `signal` is aborted. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal }).catch(() => {});
}
