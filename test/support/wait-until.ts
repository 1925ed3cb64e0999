import { setTimeout as delay } from 'node:timers/promises';

/**
 * How long a test waits for what must come. It counts only when a test fails: a busy machine may take long for what takes
 * no time otherwise.
 */
export const patienceMs = 60_000;

/** Resolves with the first truthy answer of `probe`; rejects after `timeoutMs`, naming what was waited for. */
export async function waitUntil<T>(
  what: string,
  probe: () => Promise<T | undefined | false> | T | undefined | false,
  timeoutMs = patienceMs,
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const answer = await probe();
    if (answer !== undefined && answer !== false) return answer;
    if (Date.now() > deadline) throw new Error(`waited ${timeoutMs} ms in vain for: ${what}`);
    await delay(10);
  }
}
