import { setTimeout as delay } from 'node:timers/promises';

/** Generous, because a busy machine is slow. Only a failing test waits this long. */
export const patienceMs = 120_000;

/** Resolves with the first truthy result of `probe`. Rejects after `timeoutMs` with the name of the condition. */
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
