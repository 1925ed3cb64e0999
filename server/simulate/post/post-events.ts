import { setTimeout as wait } from 'node:timers/promises';
import { Pool } from 'undici';
import { backOffMs } from '#contract/base/back-off.ts';
import type { SimulatedEvent } from '../event.ts';
import { encodeEvent, type SampleMark, type EncodedEvent } from './encode-event.ts';
import { createTally, type PostSummary, type Tally } from './tally.ts';

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

interface Target {
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
async function deliver(target: Target, request: EncodedEvent): Promise<boolean> {
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
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal }).catch(() => {});
}
