import ChevronDown from 'lucide-react/icons/chevron-down';
import ChevronUp from 'lucide-react/icons/chevron-up';
import { useMemo, useRef, useState, type KeyboardEvent, useLayoutEffect, type RefObject } from 'react';
import { IconButton } from '../../ui/button.tsx';
import { useShortcuts } from '../../ui/keyboard/use-shortcuts.ts';
import { findMatches, matchText, stepThrough, type Match } from './find-matches.ts';
import { indentJson } from './indent-json.ts';

/** A body as indented JSON, with search. */
export function SearchedText({ body }: { body: string }) {
  const text = useMemo(() => indentJson(body), [body]);
  const field = useRef<HTMLInputElement>(null);
  const [words, setWords] = useState('');
  const [current, setCurrent] = useState(0);
  const matches = useMemo(() => findMatches(text, words), [text, words]);
  const shown = useRef<HTMLPreElement>(null);
  useHighlight(shown, matches, current);
  useShortcuts({ '/': () => field.current?.select() }, 'in a window');
  const move = (step: 1 | -1): void => setCurrent(stepThrough(current, step, matches.length));
  const search = (next: string): void => {
    setWords(next);
    setCurrent(0);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') move(event.shiftKey ? -1 : 1);
    else if (event.key === 'Escape' && words !== '') search('');
    else return;
    // Escape would close the dialog.
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <>
      <search className="mb-2 flex items-center gap-1">
        <input
          ref={field}
          type="search"
          aria-label="Search the body"
          placeholder="Search the body"
          aria-keyshortcuts="/"
          value={words}
          maxLength={255}
          className="h-7 min-w-0 grow rounded-md border border-line-strong bg-surface px-2 sm:max-w-64 pointer-coarse:h-9 pointer-coarse:text-lg"
          onChange={({ target }) => search(target.value)}
          onKeyDown={onKeyDown}
        />
        <Steps isEmpty={matches.length === 0} onMove={move} />
        <output className="pl-1 whitespace-nowrap text-muted">
          {words !== '' && matchText(current, matches.length)}
        </output>
      </search>
      <pre
        ref={shown}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, and must by keyboard too
        tabIndex={0}
        className="max-h-[50dvh] min-h-40 overflow-auto rounded-md border border-line bg-hover p-3 font-mono text-xs"
      >
        {text}
      </pre>
    </>
  );
}

function Steps({ isEmpty, onMove }: { isEmpty: boolean; onMove: (step: 1 | -1) => void }) {
  return (
    <>
      <IconButton
        label="Previous match"
        title="Previous match (Shift+Enter)"
        disabled={isEmpty}
        onClick={() => onMove(-1)}
      >
        <ChevronUp size={16} aria-hidden />
      </IconButton>
      <IconButton label="Next match" title="Next match (Enter)" disabled={isEmpty} onClick={() => onMove(1)}>
        <ChevronDown size={16} aria-hidden />
      </IconButton>
    </>
  );
}

/**
 * Highlights the matches in the only text node of an element and scrolls to the current one. The CSS highlight API
 * adds no elements, which matters for bodies of two million characters.
 */
function useHighlight(
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
