import X from 'lucide-react/icons/x';
import { pill } from './pill.ts';

/** The right end of a filter button with a value. */
export function RemoveFilter({
  name,
  label,
  onRemove,
}: {
  name: string;
  label: string;
  onRemove: () => void;
}) {
  return (
    <button
      type="button"
      aria-label={`Remove filter ${name} ${label}`}
      title="Remove this filter"
      className={`${pill.set} rounded-l-none border-l-0 pr-2 pl-1 text-muted hover:text-text`}
      onClick={({ currentTarget }) => {
        // The button disappears, so the focus moves first.
        currentTarget.parentElement?.querySelector('button')?.focus();
        onRemove();
      }}
    >
      <X size={14} aria-hidden className="shrink-0" />
    </button>
  );
}

/** The look of the button before it. */
export const beforeRemove = 'rounded-r-none border-r-0 pr-1';
