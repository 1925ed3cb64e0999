import { useLayoutEffect, type RefObject } from 'react';
import type { Match } from './find-matches.ts';

/**
 * Highlights the matches in the only text node of an element and scrolls to the current one. The CSS highlight API
 * adds no elements, which matters for bodies of two million characters.
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
    // Browsers from before 2025 may lack the API. They only show the count and scroll.
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

/** Scrolls only the element, and only when the range is not visible. */
function bringIntoView(element: HTMLElement, range: Range): void {
  const [inner, outer] = [range.getBoundingClientRect(), element.getBoundingClientRect()];
  if (inner.top < outer.top || inner.bottom > outer.bottom)
    element.scrollTop += inner.top - outer.top - outer.height / 2;
  if (inner.left < outer.left || inner.right > outer.right)
    element.scrollLeft += inner.left - outer.left - outer.width / 2;
}
