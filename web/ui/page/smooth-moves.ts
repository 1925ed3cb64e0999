import { useCallback } from 'react';

/** What moves as one: a section of a page, a table, a row, an item, and what says so. */
const movers = 'section, table, tr, li, [data-moves]';
const moveMs = 150;

/** A part on its way: it starts at a distance from its place. */
interface Move {
  from: number;
  offset: number;
  /** Known from the first frame on. */
  startedAt?: number;
}

type Tops = ReadonlyMap<HTMLElement, number>;
type Moves = Map<HTMLElement, Move>;

/**
 * A ref for an element whose parts move smoothly to their new places when live updates change its content. A reader can follow them, and
 * nothing jumps. The parts move by translations, which other layout does not notice. Nothing moves smoothly for people who asked for less
 * motion.
 */
export function useSmoothMoves<Container extends HTMLElement>(): (
  container: Container | null,
) => (() => void) | void {
  return useCallback((container) => (container ? watch(container) : undefined), []);
}

function watch(container: HTMLElement): () => void {
  let tops = readTops(container);
  const moves: Moves = new Map();
  const changes = new MutationObserver(() => {
    const before = tops;
    tops = readTops(container);
    if (!matchMedia('(prefers-reduced-motion: reduce)').matches) move(before, tops, moves);
  });
  changes.observe(container, { childList: true, characterData: true, subtree: true });
  // A window of another size is no change of the content.
  const sizes = new ResizeObserver(() => (tops = readTops(container)));
  sizes.observe(container);
  return () => {
    changes.disconnect();
    sizes.disconnect();
  };
}

/** The distance of each part from the top of the page. Running moves do not change it. */
function readTops(container: HTMLElement): Tops {
  const parts = container.querySelectorAll<HTMLElement>(movers);
  return new Map(Array.from(parts, (part) => [part, topOf(part)]));
}

function topOf(part: HTMLElement): number {
  let top = 0;
  for (let each: Element | null = part; each instanceof HTMLElement; each = each.offsetParent)
    top += each.offsetTop;
  return top;
}

/**
 * Each part starts where it was, also in the middle of a move. These are no animations because Chromium counts it as a layout shift when a
 * part gets another place during one, even if nothing moves on the screen.
 */
function move(before: Tops, now: Tops, moves: Moves): void {
  const distanceOf = (part: HTMLElement | null | undefined): number =>
    part ? (before.get(part) ?? now.get(part) ?? 0) - (now.get(part) ?? 0) : 0;
  const isIdle = moves.size === 0;
  for (const part of now.keys()) {
    // A part moves with the part around it.
    const distance = distanceOf(part) - distanceOf(part.parentElement?.closest<HTMLElement>(movers));
    if (distance === 0 || !before.has(part)) continue;
    const from = (moves.get(part)?.offset ?? 0) + distance;
    moves.set(part, { from, offset: from });
    translate(part, from);
  }
  if (isIdle && moves.size > 0) requestAnimationFrame((time) => step(moves, time));
}

function step(moves: Moves, time: number): void {
  for (const [part, move] of moves) {
    move.startedAt ??= time;
    const left = Math.max(0, 1 - (time - move.startedAt) / moveMs);
    move.offset = move.from * left ** 2;
    translate(part, move.offset);
    if (left === 0) moves.delete(part);
  }
  if (moves.size > 0) requestAnimationFrame((next) => step(moves, next));
}

function translate(part: HTMLElement, offset: number): void {
  part.style.translate = offset === 0 ? '' : `0 ${offset}px`;
}
