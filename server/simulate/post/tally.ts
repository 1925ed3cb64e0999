import { createHistogram } from 'node:perf_hooks';
import { queuedEvents, type QueuedEvent } from '#contract/integrations/integrations.ts';

/** The result of posting. Responses are counted per request, everything else per event. */
export interface PostSummary {
  /** Started events. Those neither accepted nor lost are still being sent. */
  sent: number;
  /** Events that got a 200. */
  accepted: number;
  /** Events that never got a 200. The service may have stored some of them, because a response can be lost too. */
  lost: number;
  /** Requests after the first one of an event. */
  retries: number;
  byEventType: Record<QueuedEvent, number>;
  /** Responses by status. A request without a response counts under its error code, for example `ECONNREFUSED`. */
  byStatus: Record<string, number>;
  /** Refusals by the `code` of their problem body. */
  byProblem: Record<string, number>;
  /** From request to response, of any status; null without responses. */
  latencyMs: { p50: number; p95: number; p99: number; max: number } | null;
  /** Total size of the bodies. A retried body counts once. */
  bytes: number;
  seconds: number;
  requestedRate: number | null;
  /** Started events a second. Below the requested rate when the service or this machine is too slow. */
  achievedRate: number;
}

export type Tally = ReturnType<typeof createTally>;

/** Counts events and responses. Latencies go to a histogram, so memory does not grow with time. */
export function createTally(requestedRate: number | undefined) {
  const startedAt = performance.now();
  const latencyUs = createHistogram();
  const count = { sent: 0, accepted: 0, lost: 0, retries: 0, bytes: 0 };
  const byEventType = Object.fromEntries(queuedEvents.map((type) => [type, 0])) as Record<
    QueuedEvent,
    number
  >;
  const byStatus: Record<string, number> = {};
  const byProblem: Record<string, number> = {};
  return {
    sent: (eventType: QueuedEvent, bytes: number): void => {
      count.sent += 1;
      count.bytes += bytes;
      byEventType[eventType] += 1;
    },
    answered: (status: string, latencyMs: number | null, problem?: string): void => {
      byStatus[status] = (byStatus[status] ?? 0) + 1;
      if (problem !== undefined) byProblem[problem] = (byProblem[problem] ?? 0) + 1;
      if (latencyMs !== null) latencyUs.record(Math.max(1, Math.round(latencyMs * 1000)));
    },
    retried: (): void => {
      count.retries += 1;
    },
    settled: (isAccepted: boolean): void => {
      count[isAccepted ? 'accepted' : 'lost'] += 1;
    },
    summary: (): PostSummary => {
      const seconds = (performance.now() - startedAt) / 1000;
      const ms = (percentile: number): number => latencyUs.percentile(percentile) / 1000;
      return {
        ...count,
        byEventType: { ...byEventType },
        byStatus: { ...byStatus },
        byProblem: { ...byProblem },
        latencyMs:
          latencyUs.count === 0 ? null : { p50: ms(50), p95: ms(95), p99: ms(99), max: latencyUs.max / 1000 },
        seconds,
        requestedRate: requestedRate ?? null,
        achievedRate: seconds === 0 ? 0 : count.sent / seconds,
      };
    },
  };
}
