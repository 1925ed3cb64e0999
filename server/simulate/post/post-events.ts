import { Pool } from 'undici';
import { deliver, pause, type Target } from './deliver.ts';
import { encodeEvent, type SampleMark } from './encode-event.ts';
import type { SimulatedEvent } from '../event.ts';
import { createTally, type PostSummary } from './tally.ts';

export interface PostOptions {
  /** Base URL of the service. It may have a path. */
  baseUrl: string;
  integrationId: string;
  secret: string;
  /** Marks the events as sample data. */
  mark?: SampleMark | undefined;
  /** Read one by one, each just before it is sent. */
  events: Iterable<SimulatedEvent>;
  /** Events a second. Default: as fast as the connections allow. */
  rate?: number | undefined;
  /** Sends no new events after this time, at the end of `events` or at `signal`. */
  seconds?: number | undefined;
  signal?: AbortSignal | undefined;
  /** Connections, each with one request at a time. Default: 16. */
  concurrency?: number;
  /** Time for retries after an event's first request. Default: 30 s. */
  giveUpAfterMs?: number;
  /** Called for each 200, also for repeated deliveries with the same id. */
  onAccepted?: (deliveryId: string) => void;
}

export interface Posting {
  summary(): PostSummary;
  /** Resolves when every started event is accepted or lost. Rejects only when `events` throws. */
  done: Promise<PostSummary>;
}

/** Timeout of a request, as at GitHub. */
const timeoutMs = 10_000;

/** Time for open requests to finish after `signal` is aborted. */
const graceMs = 2000;

export async function postEvents(options: PostOptions): Promise<PostSummary> {
  return startPosting(options).done;
}

/** Posts events over HTTP as a forge does, at a given rate, over keep-alive connections. */
export function startPosting(options: PostOptions): Posting {
  const { signal = new AbortController().signal, giveUpAfterMs = 30_000 } = options;
  const url = new URL(`api/import/${options.integrationId}`, options.baseUrl.replace(/\/*$/, '/'));
  const pool = new Pool(url.origin, {
    connections: options.concurrency ?? 16,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    connect: { timeout: timeoutMs },
  });
  const tally = createTally(options.rate);
  const target: Target = { pool, path: url.pathname, tally, signal, giveUpAfterMs };
  return { summary: tally.summary, done: finish(target, options) };
}

async function finish(target: Target, options: PostOptions): Promise<PostSummary> {
  const { pool, signal, tally } = target;
  let grace: NodeJS.Timeout | undefined;
  const onAbort = (): void => {
    grace = setTimeout(() => void pool.destroy(), graceMs);
  };
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    await postAll(target, options);
    return tally.summary();
  } finally {
    clearTimeout(grace);
    signal.removeEventListener('abort', onAbort);
    await pool.destroy();
  }
}

async function postAll(target: Target, options: PostOptions): Promise<void> {
  const { rate = Infinity, seconds = Infinity, concurrency = 16 } = options;
  const { signal } = target;
  const remaining = options.events[Symbol.iterator]();
  const startedAt = performance.now();
  let started = 0;
  const work = async (): Promise<void> => {
    for (;;) {
      const dueInMs = startedAt + (started * 1000) / rate - performance.now();
      started += 1;
      if (performance.now() + Math.max(0, dueInMs) - startedAt >= seconds * 1000) return;
      if (dueInMs > 0) await pause(dueInMs, signal);
      if (signal.aborted) return;
      const { value: event, done } = remaining.next();
      if (done === true) return;
      await post(target, options, event);
    }
  };
  try {
    await Promise.all(Array.from({ length: concurrency }, work));
  } finally {
    remaining.return?.();
  }
}

async function post(
  target: Target,
  { secret, mark, onAccepted }: PostOptions,
  event: SimulatedEvent,
): Promise<void> {
  const request = encodeEvent(event, { secret, mark });
  target.tally.sent(event.eventType, request.body.length);
  const isAccepted = await deliver(target, request);
  target.tally.settled(isAccepted);
  if (isAccepted) onAccepted?.(event.deliveryId);
}
