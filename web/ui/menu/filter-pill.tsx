import X from 'lucide-react/icons/x';
import { useEffect, useRef } from 'react';
import { placeOf } from '../table/place-of.ts';
import { pill } from './pill.ts';

/** A filter that is set and has no menu. A click removes it. */
export function FilterPill({ name, value, onRemove }: { name: string; value: string; onRemove: () => void }) {
  const heir = useRef<() => HTMLElement | undefined>(undefined);
  // The pill disappears, so what takes its place gets the focus.
  useEffect(() => () => heir.current?.()?.focus(), []);
  return (
    <button
      type="button"
      aria-label={`Remove filter ${name} ${value}`}
      className={pill.set}
      onClick={({ currentTarget }) => {
        heir.current = placeOf(currentTarget);
        onRemove();
      }}
    >
      {name} <bdi className="truncate font-semibold">{value}</bdi>
      <X size={14} aria-hidden className="shrink-0" />
    </button>
  );
}
