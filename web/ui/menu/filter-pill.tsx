import X from 'lucide-react/icons/x';
import { pill } from './pill.ts';

/** A filter that is set and has no menu. A click removes it. */
export function FilterPill({ name, value, onRemove }: { name: string; value: string; onRemove: () => void }) {
  return (
    <button
      type="button"
      aria-label={`Remove filter ${name} ${value}`}
      className={pill.set}
      onClick={onRemove}
    >
      {name} <bdi className="truncate font-semibold">{value}</bdi>
      <X size={14} aria-hidden className="shrink-0" />
    </button>
  );
}
