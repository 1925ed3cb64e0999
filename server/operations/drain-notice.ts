import { setTimeout as delay } from 'node:timers/promises';

/** Turns `/readyz` red before the process drains, so that a load balancer sends nothing more to it. */
export interface DrainNotice {
  /** Whether it is red; called for each question. */
  read(): boolean;
  /** Turns it red. Resolves once load balancers had time to notice: at once when none has asked lately, or on `isUrgent`. */
  give(options: { isUrgent: boolean }): Promise<void>;
}

/**
 * Load balancers usually ask every one to five seconds. The wait stays short of the 10 to 30 seconds that supervisors allow for
 * a stop, most of which the drain itself may need.
 */
const longestWaitMs = 5_000;

/** The longest usual interval between two questions of a health check. */
const lateMs = 30_000;

/** @param workerTimeoutMs how long a drain may take for what is in hand; the wait takes a quarter of it at most */
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
      const isWatched = now() - askedAt <= lateMs;
      if (isWatched && !isUrgent) await wait(Math.min(longestWaitMs, workerTimeoutMs / 4));
    },
  };
}
