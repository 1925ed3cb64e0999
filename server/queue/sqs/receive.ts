import { setTimeout as delay } from 'node:timers/promises';
import { batchSize } from '../policy.ts';
import type { Claim, Queue, ReceiveOptions } from '../queue.ts';

export interface SqsReceiver {
  receive: Queue['receive'];
  /** Resolves when all fetched messages are in the log. */
  idle(): Promise<void>;
}

/** Fetches once. Returns how many messages it moved into the log. */
export type Fetch = (waitSeconds: number) => Promise<number>;

/**
 * Claims from the log. Without messages it fetches from Amazon SQS and claims again. A fetch continues after its receive was
 * aborted: its messages are then in the log for the next receive.
 */
export function makeSqsReceiver(claim: Queue['receive'], fetch: Fetch, pollWaitMs: number): SqsReceiver {
  const fetches = new Set<Promise<number>>();
  const stopping = new AbortController();

  /** Amazon SQS may return fewer messages than it has. Fetches until it returns none, or a batch is full. */
  const fetchUpTo = async (most: number, waitSeconds: number): Promise<number> => {
    let total = await fetch(waitSeconds);
    for (let more = total; more > 0 && total < most && !stopping.signal.aborted; total += more)
      more = await fetch(0);
    return total;
  };

  const track = (work: Promise<number>): Promise<number> => {
    const tracked = work.catch(() => 0).finally(() => fetches.delete(tracked));
    fetches.add(tracked);
    return work;
  };

  const waitForMore = async ({ maxMessages, signal }: ReceiveOptions, leftMs: number): Promise<number> => {
    const waitSeconds = Math.round(Math.min(leftMs, pollWaitMs) / 1000);
    const count = await unlessAborted(
      track(fetchUpTo(Math.min(maxMessages, batchSize), waitSeconds)),
      signal,
    );
    // Amazon SQS waits whole seconds only.
    if (count === 0 && waitSeconds === 0 && leftMs > 0)
      await delay(Math.min(leftMs, pollWaitMs), undefined, { signal }).catch(() => {});
    return count ?? 0;
  };

  return {
    receive: async (options): Promise<Claim | undefined> => {
      const deadline = Date.now() + options.waitMs;
      for (let count = -1; ;) {
        const claimed = await claim({ ...options, waitMs: 0 });
        const leftMs = deadline - Date.now();
        const isOver = options.signal.aborted || (count === 0 && leftMs <= 0);
        if (claimed !== undefined || isOver) return claimed;
        count = await waitForMore(options, Math.max(0, leftMs));
      }
    },
    idle: async () => {
      stopping.abort();
      await Promise.all(fetches);
    },
  };
}

/** Undefined once `signal` is aborted. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  const { promise: aborted, resolve } = Promise.withResolvers<undefined>();
  const onAbort = (): void => resolve(undefined);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
