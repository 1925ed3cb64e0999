import { readRetryAfterMs } from '#platform/http/outgoing/retry-after.ts';
import type { ExportPolicy } from '../policy.ts';
import type { SendResult } from './send-otlp.ts';

interface Attempt {
  now: number;
  /** Runs of the request. */
  runs: number;
  failures: number;
  atMost: number;
  /** Whether the last request before this one was accepted. */
  wasAccepted: boolean;
}

export interface NextStep {
  /** What becomes of the runs of the request. `split`: they are sent again in smaller requests. */
  runs: 'sent' | 'keep' | 'split' | 'drop';
  failures: number;
  atMost: number;
  dueAt: number;
}

/** Statuses about the content of a request, which OTLP forbids to send again. */
const contentRefusals: readonly (number | null)[] = [400, 413, 422];

/** What follows from the answer of a target. */
export function nextStep(
  policy: ExportPolicy,
  { sent, statusCode, retryAfter }: Pick<SendResult, 'sent' | 'statusCode' | 'retryAfter'>,
  { now, runs, failures, atMost, wasAccepted }: Attempt,
): NextStep {
  if (sent)
    return { runs: 'sent', failures: 0, atMost: Math.min(policy.runsPerRequest, atMost * 2), dueAt: now };
  const isContent = contentRefusals.includes(statusCode);
  if (isContent && (wasAccepted || failures >= policy.refusalsUntilDrop))
    return runs > 1
      ? { runs: 'split', failures, atMost: Math.ceil(runs / 2), dueAt: now }
      : { runs: 'drop', failures: 0, atMost: 1, dueAt: now };
  const dueAt = now + backOffMs(policy, policy.minBackOffMs, failures, retryAfter, now);
  return { runs: 'keep', failures: failures + 1, atMost, dueAt };
}

/** How long to wait after a failure: `firstMs` after the first one, then twice as long, or as long as the target asks for. */
export function backOffMs(
  { maxBackOffMs, maxRetryAfterMs }: Pick<ExportPolicy, 'maxBackOffMs' | 'maxRetryAfterMs'>,
  firstMs: number,
  failures: number,
  retryAfter: string | null,
  now: number,
): number {
  const usual = Math.min(maxBackOffMs, firstMs * 2 ** Math.min(failures, 20));
  const asked = readRetryAfterMs(retryAfter, now) ?? 0;
  return Math.max(usual, Math.min(maxRetryAfterMs, asked));
}
