import type { Database, Tx } from '#platform/database/database.ts';
import { blockKinds } from './bucket-kinds.ts';
import {
  alignedStart,
  blockHours,
  coverSpan,
  isSettled,
  longestBlock,
  shortestBlock,
  type Block,
  type KnownBlocks,
} from './rollup-buckets.ts';
import {
  endGap,
  findFirstGap,
  findNextHour,
  findNow,
  replaceCells,
  setProgress,
} from './finalize-hours-store.ts';
import { findKnownBlocks } from './rollup-state-store.ts';
import { sumCells } from '#server/rollups/rollup-store.ts';
import { floor } from '#server/rollups/time-span.ts';
import { hourMs } from '#platform/runtime/time-units.ts';

export interface JoinBlocksDeps {
  db: Database;
  /** Makes the transaction the only writer of the integration's numbers. */
  lock(tx: Tx, integrationIds: readonly string[]): Promise<unknown>;
}

/** An hour is settled when it has been over for this long; what comes later leaves a gap, which is mended here. */
const waitMs = 600_000;

/**
 * Settles the next hour of an integration, or six of long ago at once, or all until the next with any numbers, or one that
 * changed since, and adds up the blocks that end there. Returns how many such steps were taken: 0 when there are no more.
 */
export async function joinBlocks(
  { db, lock }: JoinBlocksDeps,
  integrationId: string,
  now: number,
): Promise<number> {
  const endedAt = (time: number) => floor(time - waitMs, hourMs);
  // Of gaps the first, and others that are in a block with it: there may be as many as hours since 1970. Where nothing is
  // settled yet, that begins with the first numbers.
  const findKnown = async (tx: Tx) => {
    const from = alignedStart((await findFirstGap(tx, integrationId)) ?? 0);
    const known = await findKnownBlocks(tx, integrationId, { from, to: from + longestBlock * hourMs });
    if (known.until > 0) return known;
    const first = await findNextHour(tx, integrationId, 0);
    return { ...known, until: alignedStart(first ?? Number.POSITIVE_INFINITY) };
  };
  if (nextStep(await db.withScope({ integrationId }, findKnown), endedAt(now)) === undefined) return 0;
  return db.withScope({ integrationId }, async (tx) => {
    await lock(tx, [integrationId]);
    const [known, databaseNow] = await Promise.all([findKnown(tx), findNow(tx)]);
    // A clock that is ahead would settle hours that are in progress.
    const ended = endedAt(Math.min(now, databaseNow));
    const step = nextStep(known, ended);
    if (step === undefined) return 0;
    const { start } = step;
    const isGap = start < known.until;
    const end = isGap ? step.end : Math.max(step.end, await emptyUntil(tx, integrationId, start, ended));
    const joined = {
      ...known,
      until: Math.max(known.until, end),
      gaps: new Set([...known.gaps].filter((gap) => gap !== start)),
    };
    for (const hours of blockHours) {
      const block = { start: floor(start, hours * hourMs), hours };
      // One with another gap in it cannot be read: whoever mends its last gap makes it.
      if (isSettled(block, joined)) await joinBlock(tx, integrationId, block, joined);
    }
    await (isGap ? endGap(tx, integrationId, start) : setProgress(tx, integrationId, end));
    return 1;
  });
}

/** The first hour that changed, or else what ended next: the shortest block as a whole, or an hour. */
function nextStep({ until, gaps }: KnownBlocks, ended: number): { start: number; end: number } | undefined {
  const hoursFrom = (start: number, hours: number) => ({ start, end: start + hours * hourMs });
  if (gaps.size > 0) return hoursFrom(Math.min(...gaps), 1);
  const block = hoursFrom(until, shortestBlock);
  if (block.end <= ended && until === floor(until, shortestBlock * hourMs)) return block;
  return until < ended ? hoursFrom(until, 1) : undefined;
}

/**
 * Where the shortest block begins that holds the next numbers: a step over hours without any leaves out no block with some,
 * but for those that hold its start, and so a single time of long ago costs one step and not one for each day since.
 */
async function emptyUntil(tx: Tx, integrationId: string, start: number, ended: number): Promise<number> {
  const next = await findNextHour(tx, integrationId, start);
  return next === undefined ? ended : Math.min(ended, floor(next, shortestBlock * hourMs));
}

/** From the shorter blocks in it, and from hours where there are none. */
async function joinBlock(tx: Tx, integrationId: string, block: Block, known: KnownBlocks): Promise<void> {
  const span = { from: block.start, to: block.start + block.hours * hourMs };
  const pieces = coverSpan(span, known, block.hours - 1);
  await Promise.all(
    blockKinds.map(async ({ name, kind, by, histograms }) => {
      const cells = await sumCells(tx, { integrationId, kind, pieces }, by, histograms);
      const counted = cells.filter(({ count }) => count > 0);
      await replaceCells(tx, integrationId, block, name, counted);
    }),
  );
}
