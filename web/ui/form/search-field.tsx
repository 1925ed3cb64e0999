import Search from 'lucide-react/icons/search';
import { useEffect, useEffectEvent, useState } from 'react';
import { useShortcuts } from '../keyboard/use-shortcuts.ts';

const pauseMs = 250;

/** Reports the text after a short pause. `/` focuses the field; Escape clears and then leaves it. */
export function SearchField({
  label,
  placeholder = label,
  value,
  onChange,
  onEnter,
}: {
  label: string;
  placeholder?: string;
  value: string;
  onChange: (value: string) => void;
  /** Goes to the next match. */
  onEnter?: () => void;
}) {
  const [text, setText] = useState(value);
  const [reported, setReported] = useState(value);
  const [seen, setSeen] = useState(value);
  const [field, setField] = useState<HTMLInputElement | null>(null);
  if (value !== seen) {
    setSeen(value);
    // The address changed otherwise, for example by going back. A value that comes from this field does not reset it.
    if (value !== reported) {
      setReported(value);
      setText(value);
    }
  }
  const report = useEffectEvent(() => {
    setReported(text);
    onChange(text);
  });
  // The parent may render many times a second. Only a new text restarts the pause.
  useEffect(() => {
    if (text === reported) return;
    const timer = setTimeout(() => report(), pauseMs);
    return () => clearTimeout(timer);
  }, [text, reported]);
  useShortcuts({ '/': () => field?.select() });
  return (
    <label className="relative min-w-0 grow basis-full md:max-w-56 md:basis-24">
      <span className="sr-only">{label}</span>
      <Search size={14} aria-hidden className="absolute top-1/2 left-2 -translate-y-1/2 text-faint" />
      <input
        ref={setField}
        type="search"
        placeholder={placeholder}
        aria-keyshortcuts="/"
        value={text}
        maxLength={255}
        className="h-7 w-full rounded-md border border-line-strong bg-surface pr-2 pl-7 pointer-coarse:h-9 pointer-coarse:text-lg"
        onChange={({ target }) => setText(target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && text === reported) onEnter?.();
          if (event.key !== 'Escape') return;
          event.preventDefault();
          if (text === '') event.currentTarget.blur();
          else setText('');
        }}
      />
    </label>
  );
}
