import { setTimeout } from 'node:timers/promises';
import { backOffMs } from '#contract/base/back-off.ts';
import type { Database } from '#platform/database/database.ts';
import { errorOfAnswer, RateLimited, type ForgeHeaders } from '#server/forges/errors.ts';
import { leavePlace, readWaitMs, takePlace, type Budget } from './budget-store.ts';

/** People wait for interactive calls. */
export type Priority = 'interactive' | 'background';

interface Answer {
  status: number;
  headers: ForgeHeaders;
}

/** Ends a call; without an answer when there was none. */
export type Leave = (answer?: Answer) => Promise<void>;

/**
 * Limits the calls of each connection over all processes: it obeys the rate limit of the forge, leaves a fifth of it to
 * interactive calls, and lets one background call at a time through.
 */
export interface ForgeGate {
  /** `maxMs` bounds the call. @throws RateLimited */
  enter(connection: string, priority: Priority, maxMs: number): Promise<Leave>;
}

const reservedShare = 0.2;
/** Of a call that another process has in flight. */
const polling = { leastMs: 20, firstMs: 100, longestMs: 1000 };
const maxWaitMs = 180_000;

export function makeForgeGate({ db }: { db: Database }): ForgeGate {
  /** The last background call of this process on each connection: the others wait without asking the database. */
  const last = new Map<string, Promise<void>>();

  async function checkBudget(connection: string, share: number): Promise<void> {
    const waitMs = await readWaitMs(db, connection, share);
    if (waitMs > 0) throw new RateLimited(waitMs);
  }

  async function waitForPlace(connection: string, leaseMs: number): Promise<string> {
    const until = Date.now() + maxWaitMs;
    for (let tries = 0; Date.now() < until; tries += 1) {
      const place = await takePlace(db, connection, reservedShare, leaseMs);
      if (place !== undefined) return place;
      await checkBudget(connection, reservedShare);
      await setTimeout(backOffMs(polling, tries));
    }
    throw new RateLimited(undefined);
  }

  async function enterBackground(connection: string, maxMs: number): Promise<Leave> {
    const before = last.get(connection);
    const { promise, resolve } = Promise.withResolvers<void>();
    last.set(connection, promise);
    const end = (): void => {
      if (last.get(connection) === promise) last.delete(connection);
      resolve();
    };
    try {
      await before;
      const place = await waitForPlace(connection, maxMs);
      return async (answer) => {
        try {
          await leavePlace(db, connection, place, answer && budgetOf(answer));
        } finally {
          end();
        }
      };
    } catch (error) {
      end();
      throw error;
    }
  }

  return {
    enter: async (connection, priority, maxMs) => {
      if (priority === 'background') return enterBackground(connection, maxMs);
      await checkBudget(connection, 0);
      return async (answer) => {
        const budget = answer && budgetOf(answer);
        if (budget !== undefined) await leavePlace(db, connection, undefined, budget);
      };
    },
  };
}

/** Undefined when the answer says nothing about limits. */
function budgetOf({ status, headers }: Answer): Budget | undefined {
  const [limit, remaining, resetsAt] = ['limit', 'remaining', 'reset'].map((name) =>
    countOf(headers[`x-ratelimit-${name}`]),
  );
  const error = status >= 400 ? errorOfAnswer(status, headers, '') : undefined;
  const blockedMs = error instanceof RateLimited ? error.waitMs : undefined;
  const isSilent = remaining === undefined && blockedMs === undefined;
  return isSilent ? undefined : { limit, remaining, resetsAt, blockedMs };
}

function countOf(value: ForgeHeaders[string]): number | undefined {
  const count = Number(value);
  return value !== undefined && Number.isSafeInteger(count) && count >= 0 && count <= 2 ** 31 - 1
    ? count
    : undefined;
}
