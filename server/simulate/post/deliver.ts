import { setTimeout as wait } from 'node:timers/promises';
import type { Pool } from 'undici';
import { backOffMs } from '#contract/base/back-off.ts';
import type { EncodedEvent } from './encode-event.ts';
import type { Tally } from './tally.ts';

export interface Target {
  pool: Pool;
  path: string;
  tally: Tally;
  /** Ends the wait for a retry. An open request may finish. */
  signal: AbortSignal;
  /** No retry starts later than this after the first request. */
  giveUpAfterMs: number;
}

interface Answer {
  isAccepted: boolean;
  isTemporary: boolean;
  retryAfterMs: number;
}

const backOff = { firstMs: 100, longestMs: 2000 };

/** Posts one event until it is accepted, permanently refused or given up. Resolves to whether it got a 200. */
export async function deliver(target: Target, request: EncodedEvent): Promise<boolean> {
  const giveUpAt = performance.now() + target.giveUpAfterMs;
  for (let failures = 0; ; failures += 1) {
    const answer = await ask(target, request);
    if (answer.isAccepted) return true;
    const waitMs = Math.max(answer.retryAfterMs, backOffMs(backOff, failures));
    if (!answer.isTemporary || performance.now() + waitMs > giveUpAt) return false;
    await pause(waitMs, target.signal);
    if (target.signal.aborted) return false;
    target.tally.retried();
  }
}

async function ask({ pool, path, tally }: Target, { headers, body }: EncodedEvent): Promise<Answer> {
  const startedAt = performance.now();
  try {
    const response = await pool.request({ method: 'POST', path, headers, body });
    const { statusCode: status } = response;
    const latencyMs = performance.now() - startedAt;
    // The status counts even if the connection breaks before the end of the body.
    const text = await response.body.text().catch(() => '');
    tally.answered(String(status), latencyMs, status === 200 ? undefined : problemCode(text));
    return {
      isAccepted: status === 200,
      isTemporary: status === 429 || status >= 502,
      // The service answers with seconds.
      retryAfterMs: Number(response.headers['retry-after'] ?? 0) * 1000,
    };
  } catch (error) {
    tally.answered((error as { code?: string }).code ?? 'error', null);
    return { isAccepted: false, isTemporary: true, retryAfterMs: 0 };
  }
}

function problemCode(text: string): string | undefined {
  try {
    const { code } = JSON.parse(text) as { code?: unknown };
    return typeof code === 'string' ? code : undefined;
  } catch {
    return undefined;
  }
}

/** Waits, or returns early when `signal` is aborted. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal }).catch(() => {});
}
