import { setTimeout } from 'node:timers/promises';
import { backOffMs } from '#contract/base/back-off.ts';
import type { Database } from '#platform/database/database.ts';
import { RateLimited } from '#server/forges/errors.ts';
import { readWaitMs, takePlace, type Budget } from './budget-store.ts';
import { leaseMs, makeTakenPlace, type TakenPlace } from './taken-place.ts';

const reservedShare = 0.2;
/** Of a call that another process has in flight. */
const polling = { leastMs: 20, firstMs: 100, longestMs: 1000 };
const maxWaitMs = 180_000;

/** A connection whose place is kept. */
export interface Kept {
  /** Undefined during a call. */
  place?: TakenPlace | undefined;
  /** What the last answer about limits said. It is saved when the place is left. */
  budget?: Budget | undefined;
}

/** Leaves a share of the rate limit alone. @throws RateLimited */
export async function checkBudget(db: Database, connection: string, share: number): Promise<void> {
  const waitMs = await readWaitMs(db, connection, share);
  if (waitMs > 0) throw new RateLimited(waitMs);
}

/** The kept place, or the place when nobody else has it. @throws RateLimited */
export async function takeAnyPlace(
  db: Database,
  connection: string,
  kept: Kept | undefined,
): Promise<TakenPlace> {
  const place = kept?.place;
  if (kept !== undefined) kept.place = undefined;
  return place ?? waitForPlace(db, connection);
}

async function waitForPlace(db: Database, connection: string): Promise<TakenPlace> {
  const until = Date.now() + maxWaitMs;
  for (let tries = 0; Date.now() < until; tries += 1) {
    const place = await takePlace(db, connection, reservedShare, leaseMs);
    if (place !== undefined) return makeTakenPlace(db, connection, place);
    await checkBudget(db, connection, reservedShare);
    await setTimeout(backOffMs(polling, tries));
  }
  throw new RateLimited(undefined);
}

/** Whether the database would let another background call through. */
export function mayCallAgain({ limit, remaining, blockedMs }: Partial<Budget> = {}): boolean {
  return blockedMs === undefined && (remaining ?? Infinity) > (limit ?? 0) * reservedShare;
}
