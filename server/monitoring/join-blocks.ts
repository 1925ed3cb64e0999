import type { Database, Tx } from '#platform/database/database.ts';
import { blockKinds } from './block-kinds.ts';
import {
  alignedStart,
  blockHours,
  blockStart,
  coverSpan,
  isMade,
  type KnownBlocks,
  type Piece,
} from './blocks.ts';
import { deleteGap, replaceCells, setProgress } from './join-blocks-store.ts';
import { findKnownBlocks, sumCells } from './rollup-store.ts';
import { floor, hourMs } from './time-span.ts';

export interface JoinBlocksDeps {
  db: Database;
  /** Makes the transaction the only writer of the integration's numbers. */
  lock(tx: Tx, integrationIds: readonly string[]): Promise<unknown>;
}

/** A block is added up when it has been over for this long; what comes later leaves a gap, which is mended here. */
const waitMs = 600_000;
const shortestMs = blockHours[0] * hourMs;

/**
 * Adds up the next six hours of an integration, with the day and the week that end there, or those that changed
 * since. Returns how many such steps were taken: 0 when there are no more.
 */
export async function joinBlocks(
  { db, lock }: JoinBlocksDeps,
  integrationId: string,
  now: number,
): Promise<number> {
  const ended = blockStart(now - waitMs);
  const findKnown = (tx: Tx) => findKnownBlocks(tx, integrationId, { from: 0, to: now });
  if (nextStep(await db.withScope({ integrationId }, findKnown), ended) === undefined) return 0;
  return db.withScope({ integrationId }, async (tx) => {
    await lock(tx, [integrationId]);
    const known = await findKnown(tx);
    const start = nextStep(known, ended);
    if (start === undefined) return 0;
    const isGap = start < known.until;
    const end = start + shortestMs;
    const joined = {
      first: known.first,
      until: Math.max(known.until, end),
      gaps: known.gaps.filter((gap) => gap !== start),
    };
    for (const hours of blockHours) {
      const block = { start: floor(start, hours * hourMs), hours };
      // One with another gap in it cannot be read: whoever mends its last gap makes it.
      if (isMade(block, joined)) await joinBlock(tx, integrationId, block, joined);
    }
    await (isGap ? deleteGap(tx, integrationId, start) : setProgress(tx, integrationId, end));
    return 1;
  });
}

/** The start of the six hours to add up: the first that changed, or else the next that ended. */
function nextStep({ first, until, gaps }: KnownBlocks, ended: number): number | undefined {
  if (gaps.length > 0) return Math.min(...gaps);
  const next = until === 0 ? alignedStart(first) : until;
  return next < ended ? next : undefined;
}

/** From the shorter blocks in it, and from hours where there are none. */
async function joinBlock(tx: Tx, integrationId: string, block: Piece, known: KnownBlocks): Promise<void> {
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
