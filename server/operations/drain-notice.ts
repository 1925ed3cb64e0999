import { setTimeout as delay } from 'node:timers/promises';

/** Makes `/readyz` fail before the process drains, so that load balancers stop sending requests to it. */
export interface DrainNotice {
  /** Whether `/readyz` must fail. Called by each request of it. */
  read(): boolean;
  /** Makes `/readyz` fail. Waits until load balancers had time to notice, unless none asked recently or `isUrgent` is set. */
  give(options: { isUrgent: boolean }): Promise<void>;
}

/**
 * Load balancers usually check every one to five seconds. Supervisors allow 10 to 30 seconds for a stop, and the drain itself may
 * need most of them.
 */
const maxWaitMs = 5_000;

/** The longest usual interval of health checks. */
const recentMs = 30_000;

/** @param workerTimeoutMs the time that a drain allows for work in progress; the wait takes at most a quarter of it */
export function makeDrainNotice(
  workerTimeoutMs: number,
  { now, wait } = { now: () => performance.now(), wait: delay as (ms: number) => Promise<unknown> },
): DrainNotice {
  let isGiven = false;
  let askedAt = -Infinity;
  return {
    read: () => {
      askedAt = now();
      return isGiven;
    },
    give: async ({ isUrgent }) => {
      isGiven = true;
      const isWatched = now() - askedAt <= recentMs;
      if (isWatched && !isUrgent) await wait(Math.min(maxWaitMs, workerTimeoutMs / 4));
    },
  };
}
