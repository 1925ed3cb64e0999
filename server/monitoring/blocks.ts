import type { Granularity } from '#contract/metrics.ts';
import { floor, hourMs, type TimeSpan } from './time-span.ts';

/** Hours that are added up together. Each length is a multiple of the one before, and blocks start at multiples of it. */
export const blockHours = [1, 6, 24, 168] as const;
export const longestBlock = 168;
/** The longest block that numbers by hour or day can be read from. */
export const stepHours = { hour: 1, day: 24 } as const satisfies Record<Granularity, number>;

/** What there is of an integration's numbers. Milliseconds since the epoch. */
export interface KnownBlocks {
  /** While nothing is added up: the first hour with any numbers, Infinity when there are none. Else 0. */
  first: number;
  /** All blocks that end by then are added up, but for those that hold a gap; 0 when none are. */
  until: number;
  /** Another one whenever a block that there was is made anew. */
  version: number;
  /** Hours that changed since. */
  gaps: ReadonlySet<number>;
}

export interface Block {
  start: number;
  hours: number;
}

/** Where the numbers of some hours are: in a block, or in the cells of an hour, as they were counted. */
export interface Piece extends Block {
  isBlock: boolean;
}

/** Whether a block is added up, and nothing in it has changed since. */
export function isMade({ start, hours }: Block, { until, gaps }: KnownBlocks): boolean {
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
  // The block that holds the first hour begins before it.
  for (let start = Math.max(from, alignedStart(known.first)); start < to;) {
    const fits = (hours: number) =>
      start % (hours * hourMs) === 0 && start + hours * hourMs <= to && isMade({ start, hours }, known);
    const hours = lengths.find(fits);
    pieces.push({ start, hours: hours ?? 1, isBlock: hours !== undefined });
    start += (hours ?? 1) * hourMs;
  }
  return pieces;
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
