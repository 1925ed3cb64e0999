import { useCallback } from 'react';

/** What moves as one: a section of a page, a table, a row, an item, and what says so. */
const movers = 'section, table, tr, li, [data-moves]';
const moveMs = 150;

/**
 * A ref for an element whose parts move smoothly to their new places when live updates change its content. A reader can follow them, and
 * nothing jumps. The parts move by transforms, which other layout does not notice. Nothing moves smoothly for people who asked for less
 * motion.
 */
export function useSmoothMoves<Container extends HTMLElement>(): (
  container: Container | null,
) => (() => void) | void {
  return useCallback((container) => (container ? watch(container) : undefined), []);
}

function watch(container: HTMLElement): () => void {
  let tops = readTops(container);
  const changes = new MutationObserver(() => {
    const before = tops;
    tops = readTops(container);
    if (!matchMedia('(prefers-reduced-motion: reduce)').matches) move(before, tops);
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

/** The distance of each part from the top of the page. Running animations do not change it. */
function readTops(container: HTMLElement): Map<Element, number> {
  const parts = container.querySelectorAll<HTMLElement>(movers);
  return new Map(Array.from(parts, (part) => [part, topOf(part)]));
}

function topOf(part: HTMLElement): number {
  let top = 0;
  for (let each: Element | null = part; each instanceof HTMLElement; each = each.offsetParent)
    top += each.offsetTop;
  return top;
}

/** Each part starts where it was. Animations of one part add up, so a second change continues the first. */
function move(before: ReadonlyMap<Element, number>, now: ReadonlyMap<Element, number>): void {
  const distanceOf = (part: Element | null | undefined): number =>
    part ? (before.get(part) ?? now.get(part) ?? 0) - (now.get(part) ?? 0) : 0;
  for (const part of now.keys()) {
    // A part moves with the part around it.
    const distance = distanceOf(part) - distanceOf(part.parentElement?.closest(movers));
    if (distance === 0 || !before.has(part)) continue;
    part.animate([{ transform: `translateY(${distance}px)` }, { transform: 'none' }], {
      duration: moveMs,
      easing: 'ease-out',
      composite: 'add',
    });
  }
}
