import type { Granularity } from '#contract/metrics.ts';
import { floor, type TimeSpan } from '#server/rollups/time-span.ts';
import { hourMs } from '#platform/runtime/time-units.ts';

/** Hours that are added up together. Each length is a multiple of the one before, and blocks start at multiples of it. */
export const blockHours = [6, 24, 168] as const;
export const shortestBlock = blockHours[0];
export const longestBlock = 168;
/** The longest block that numbers by hour or day can be read from. */
export const stepHours = { hour: 1, day: 24 } as const satisfies Record<Granularity, number>;

/** What there is of an integration's numbers. Milliseconds since the epoch. */
export interface KnownBlocks {
  /**
   * Hours before it are settled: they stay as they are, but for gaps. Of those that are, all blocks are added up. 0 when
   * nothing is.
   */
  until: number;
  /** Hours that have any numbers, in the span that was asked for; those that are settled may be missing. */
  open: readonly number[];
  /** Another one whenever a gap is mended. */
  version: number;
  /** Hours that changed after they were settled. */
  gaps: ReadonlySet<number>;
}

export interface Block {
  start: number;
  hours: number;
}

/** Where the numbers of some hours are: in a block, or in the cells of an hour. */
export interface Piece extends Block {
  isSettled: boolean;
}

/** Whether nothing changes in these hours any more; if they are a block's, that is added up. */
export function isSettled({ start, hours }: Block, { until, gaps }: KnownBlocks): boolean {
  const end = start + hours * hourMs;
  if (end > until) return false;
  for (let hour = start; hour < end; hour += hourMs) if (gaps.has(hour)) return false;
  return true;
}

/** The fewest pieces that hold the numbers of a span, none longer than `longest` hours. */
export function coverSpan(
  { from, to }: Pick<TimeSpan, 'from' | 'to'>,
  known: KnownBlocks,
  longest: number,
): Piece[] {
  const pieces: Piece[] = [];
  const lengths = blockHours.filter((hours) => hours <= longest).toReversed();
  for (let start = from; start < Math.min(to, known.until);) {
    const fits = (hours: number) =>
      start % (hours * hourMs) === 0 && start + hours * hourMs <= to && isSettled({ start, hours }, known);
    const hours = lengths.find(fits) ?? 1;
    pieces.push({ start, hours, isSettled: isSettled({ start, hours }, known) });
    start += hours * hourMs;
  }
  const open = known.open.filter((hour) => hour >= Math.max(from, known.until) && hour < to);
  return [...pieces, ...open.map((start) => ({ start, hours: 1, isSettled: false }))];
}

/** With the start of the hour or day of the span that each piece belongs to. */
export function inSteps(pieces: readonly Piece[], { granularity }: TimeSpan): (Piece & { at: number })[] {
  const stepMs = stepHours[granularity] * hourMs;
  return pieces.map((piece) => ({ ...piece, at: floor(piece.start, stepMs) }));
}

/** The start of the longest block that holds a time. */
export function alignedStart(ms: number): number {
  return floor(ms, longestBlock * hourMs);
}
