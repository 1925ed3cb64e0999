import ChevronDown from 'lucide-react/icons/chevron-down';
import ChevronUp from 'lucide-react/icons/chevron-up';
import { useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { IconButton } from '../../ui/button.tsx';
import { useShortcuts } from '../../ui/keyboard/use-shortcuts.ts';
import { findMatches, matchText, stepThrough } from './find-matches.ts';
import { indentJson } from './indent-json.ts';
import { useHighlight } from './use-highlight.ts';

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
