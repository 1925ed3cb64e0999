import { setTimeout as delay } from 'node:timers/promises';

/** Generous, because a busy machine is slow. Only a failing test waits this long. */
export const patienceMs = 120_000;

/** Resolves with the first truthy result of `probe`. Rejects after `timeoutMs` with the name of the condition. */
export async function waitUntil<T>(
  what: string,
  probe: () => Promise<T | undefined | false> | T | undefined | false,
  timeoutMs = patienceMs,
): Promise<T> {
  const start = Date.now();
  for (;;) {
    const answer = await probe();
    if (answer !== undefined && answer !== false) return answer;
    const waitedMs = Date.now() - start;
    if (waitedMs > timeoutMs) throw new Error(`waited ${timeoutMs} ms in vain for: ${what}`);
    // Rarely enough for the limit of requests per person, which is ten a second on average.
    await delay(Math.min(10 + waitedMs / 10, 110));
  }
}
