import { useLayoutEffect, type RefObject } from 'react';
import type { Match } from './find-matches.ts';

/**
 * Paints the matches in the only text of an element and brings the current one into view. The browser's own highlights
 * leave the elements alone: a body may hold two million characters.
 */
export function useHighlight(
  element: RefObject<HTMLElement | null>,
  matches: readonly Match[],
  current: number,
): void {
  useLayoutEffect(() => {
    const text = element.current?.firstChild;
    const shown = matches[current];
    if (!element.current || !text || !shown) return;
    const rangeOf = ({ start, end }: Match): Range => {
      const range = new Range();
      range.setStart(text, start);
      range.setEnd(text, end);
      return range;
    };
    bringIntoView(element.current, rangeOf(shown));
    // Browsers of before 2025 may not have them: there the count and the place must do.
    if (!('highlights' in CSS)) return;
    CSS.highlights.set('match', new Highlight(...matches.map(rangeOf)));
    const currentMatch = new Highlight(rangeOf(shown));
    currentMatch.priority = 1;
    CSS.highlights.set('current-match', currentMatch);
    return () => {
      CSS.highlights.delete('match');
      CSS.highlights.delete('current-match');
    };
  }, [element, matches, current]);
}

/** Scrolls the element alone, and only when the range is out of sight. */
function bringIntoView(element: HTMLElement, range: Range): void {
  const [inner, outer] = [range.getBoundingClientRect(), element.getBoundingClientRect()];
  if (inner.top < outer.top || inner.bottom > outer.bottom)
    element.scrollTop += inner.top - outer.top - outer.height / 2;
  if (inner.left < outer.left || inner.right > outer.right)
    element.scrollLeft += inner.left - outer.left - outer.width / 2;
}
