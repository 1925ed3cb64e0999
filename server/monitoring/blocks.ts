import type { Granularity } from '#contract/metrics.ts';
import { floor, hourMs, type TimeSpan } from './time-span.ts';

/** Hours that are added up together. Each length is a multiple of the one before, and blocks start at multiples of it. */
export const blockHours = [6, 24, 168] as const;
export const longestBlock = 168;
/** The longest block that numbers by hour or day can be read from. */
export const stepHours = { hour: 1, day: 24 } as const satisfies Record<Granularity, number>;

const shortestMs = blockHours[0] * hourMs;

/** The block of the shortest length that holds a time. */
export function blockStart(ms: number): number {
  return floor(ms, shortestMs);
}

/** What there is of an integration's numbers. Milliseconds since the epoch. */
export interface KnownBlocks {
  /** While nothing is added up: the first hour with any numbers, Infinity when there are none. Else 0. */
  first: number;
  /** All blocks that end by then are added up, but for those that hold a gap; 0 when none are. */
  until: number;
  /** Starts of the shortest blocks that changed since. */
  gaps: readonly number[];
}

/** Where the numbers of some hours are: in the cells of one hour, or in those of a block. */
export interface Piece {
  start: number;
  hours: number;
}

/** Whether a block is added up, and nothing in it has changed since. */
export function isMade({ start, hours }: Piece, { until, gaps }: KnownBlocks): boolean {
  const end = start + hours * hourMs;
  return end <= until && !gaps.some((gap) => gap >= start && gap < end);
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
    const hours = lengths.find(fits) ?? 1;
    pieces.push({ start, hours });
    start += hours * hourMs;
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
