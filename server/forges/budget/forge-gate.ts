import { setTimeout } from 'node:timers/promises';
import type { Database } from '#platform/database/database.ts';
import { errorOfAnswer, maxWaitMs, RateLimited, type ForgeHeaders } from '#server/forges/errors.ts';
import { backOffMs } from '#contract/base/back-off.ts';
import { leavePlace, type Budget, readWaitMs, takePlace } from './budget-store.ts';
import { leaseMs, makeTakenPlace, type TakenPlace } from './taken-place.ts';

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
  /** @throws RateLimited */
  enter(connection: string, priority: Priority): Promise<Leave>;
  /**
   * Keeps the place of background calls between them, so that many quick ones cost two statements. Call the returned function
   * after a moment: other processes wait.
   */
  keepPlace(connection: string): () => Promise<void>;
}

/** For calls before there is a connection. */
export const openGate: ForgeGate = { enter: async () => async () => {}, keepPlace: () => async () => {} };

export function makeForgeGate({ db }: { db: Database }): ForgeGate {
  /** The last background call of this process on each connection: the others wait without asking the database. */
  const last = new Map<string, Promise<void>>();
  const keeping = new Map<string, Kept>();

  async function enterBackground(connection: string): Promise<Leave> {
    const before = last.get(connection);
    const { promise, resolve } = Promise.withResolvers<void>();
    last.set(connection, promise);
    const end = (): void => {
      if (last.get(connection) === promise) last.delete(connection);
      resolve();
    };
    try {
      await before;
      const kept = keeping.get(connection);
      const place = await takeAnyPlace(db, connection, kept);
      return async (answer) => {
        const budget = (answer && budgetOf(answer)) ?? kept?.budget;
        try {
          if (kept !== undefined && keeping.get(connection) === kept && mayCallAgain(budget))
            Object.assign(kept, { place, budget });
          else await place.leave(budget);
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
    enter: async (connection, priority) => {
      if (priority === 'background') return enterBackground(connection);
      await checkBudget(db, connection, 0);
      return async (answer) => {
        const budget = answer && budgetOf(answer);
        if (budget !== undefined) await leavePlace(db, connection, undefined, budget);
      };
    },
    keepPlace: (connection) => {
      // Another task of this process keeps it.
      if (keeping.has(connection)) return async () => {};
      const kept: Kept = {};
      keeping.set(connection, kept);
      return async () => {
        keeping.delete(connection);
        await kept.place?.leave(kept.budget);
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
  if (remaining === undefined && blockedMs === undefined) return undefined;
  const latest = (Date.now() + maxWaitMs) / 1000;
  return { limit, remaining, resetsAt: resetsAt && Math.min(resetsAt, latest), blockedMs };
}

function countOf(value: ForgeHeaders[string]): number | undefined {
  const count = Number(value);
  return value !== undefined && Number.isSafeInteger(count) && count >= 0 && count <= 2 ** 31 - 1
    ? count
    : undefined;
}

const reservedShare = 0.2;
/** Of a call that another process has in flight. */
const polling = { leastMs: 20, firstMs: 100, longestMs: 1000 };
const longestWaitMs = 180_000;

/** A connection whose place is kept. */
interface Kept {
  /** Undefined during a call. */
  place?: TakenPlace | undefined;
  /** What the last answer about limits said. It is saved when the place is left. */
  budget?: Budget | undefined;
}

/** Leaves a share of the rate limit alone. @throws RateLimited */
async function checkBudget(db: Database, connection: string, share: number): Promise<void> {
  const waitMs = await readWaitMs(db, connection, share);
  if (waitMs > 0) throw new RateLimited(waitMs);
}

/** The kept place, or the place when nobody else has it. @throws RateLimited */
async function takeAnyPlace(db: Database, connection: string, kept: Kept | undefined): Promise<TakenPlace> {
  const place = kept?.place;
  if (kept !== undefined) kept.place = undefined;
  return place ?? waitForPlace(db, connection);
}

async function waitForPlace(db: Database, connection: string): Promise<TakenPlace> {
  const until = Date.now() + longestWaitMs;
  for (let tries = 0; Date.now() < until; tries += 1) {
    const place = await takePlace(db, connection, reservedShare, leaseMs);
    if (place !== undefined) return makeTakenPlace(db, connection, place);
    await checkBudget(db, connection, reservedShare);
    await setTimeout(backOffMs(polling, tries));
  }
  throw new RateLimited(undefined);
}

/** Whether the database would let another background call through. */
function mayCallAgain({ limit, remaining, blockedMs }: Partial<Budget> = {}): boolean {
  return blockedMs === undefined && (remaining ?? Infinity) > (limit ?? 0) * reservedShare;
}
