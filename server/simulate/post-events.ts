import { Pool } from 'undici';
import { deliver, type Target } from './post/deliver.ts';
import { encodeEvent } from './post/encode-event.ts';
import type { SimulatedEvent } from './event.ts';
import { createPace } from './post/pace.ts';
import { createTally, type PostSummary } from './post/tally.ts';

export interface PostOptions {
  /** Root of the service; a path in it is kept. */
  baseUrl: string;
  integrationId: string;
  secret: string;
  /** Taken one by one, each just before it is sent. */
  events: Iterable<SimulatedEvent>;
  /** Events a second; as many as the connections carry when absent. */
  rate?: number | undefined;
  /** Stops beginning new events after this long, after `count`, at the end of `events` or at `signal`. */
  seconds?: number | undefined;
  count?: number | undefined;
  signal?: AbortSignal | undefined;
  /** Connections, each with one request at a time; default 16. */
  concurrency?: number;
  /** Every k-th event goes as a form; 1 for all, 0 (default) for none. */
  formEvery?: number;
  /** Tries again on 429, 502 to 504 and broken connections. A forge would not; default true. */
  retry?: boolean;
  /** Default 30 s after an event's first request. */
  giveUpAfterMs?: number;
  /** A request without an answer by then has failed; default 10 s, as GitHub has it. */
  timeoutMs?: number;
  /** Told once for each 200, also for each of several posts with the same delivery id. */
  onAccepted?: (deliveryId: string) => void;
}

export interface Posting {
  /** How it stands now. */
  summary(): PostSummary;
  /** Settles when every event that was begun is accepted or lost. Rejects only when `events` throws. */
  done: Promise<PostSummary>;
}

/** Requests under way when `signal` is aborted may still finish for this long. */
const graceMs = 2000;

export async function postEvents(options: PostOptions): Promise<PostSummary> {
  return startPosting(options).done;
}

/** Posts events over HTTP as a forge does, paced, over kept-alive connections. */
export function startPosting(options: PostOptions): Posting {
  const { signal = new AbortController().signal, timeoutMs = 10_000 } = options;
  const url = new URL(`api/import/${options.integrationId}`, options.baseUrl.replace(/\/*$/, '/'));
  const pool = new Pool(url.origin, {
    connections: options.concurrency ?? 16,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    connect: { timeout: timeoutMs },
  });
  const tally = createTally(options.rate);
  const { retry = true, giveUpAfterMs = 30_000 } = options;
  const target: Target = { pool, path: url.pathname, tally, signal, retry, giveUpAfterMs };
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
  const { events, rate, seconds = Infinity, count = Infinity, concurrency = 16 } = options;
  const turn = createPace({ rate, endsAfterMs: seconds * 1000, signal: target.signal });
  const remaining = events[Symbol.iterator]();
  let begun = 0;
  const work = async (): Promise<void> => {
    while (begun < count && (await turn()) && begun < count) {
      const { value: event, done } = remaining.next();
      if (done === true) return;
      begun += 1;
      await post(target, options, event, begun);
    }
  };
  try {
    await Promise.all(Array.from({ length: concurrency }, work));
  } finally {
    remaining.return?.();
  }
}

async function post(target: Target, options: PostOptions, event: SimulatedEvent, nth: number): Promise<void> {
  const { secret, formEvery = 0, onAccepted } = options;
  const request = encodeEvent(event, { secret, asForm: formEvery > 0 && nth % formEvery === 0 });
  target.tally.sent(event.eventType, request.body.length);
  const isAccepted = await deliver(target, request);
  target.tally.settled(isAccepted);
  if (isAccepted) onAccepted?.(event.deliveryId);
}
