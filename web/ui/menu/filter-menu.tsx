import ChevronDown from 'lucide-react/icons/chevron-down';
import X from 'lucide-react/icons/x';
import type { ReactNode } from 'react';
import { clip } from '../text/clip.ts';
import { ChoiceMenu } from './menu.tsx';
import type { Choice } from './menu-popup.tsx';
import { pill } from './pill.ts';

const any = '';

/** A filter button: dashed without a value, filled with one. `isRemovable` adds a remove button. */
export function FilterMenu({
  name,
  value,
  groups,
  onChoose,
  isRemovable = false,
  ...rest
}: {
  name: string;
  value: string | undefined;
  groups: readonly (readonly Choice[])[];
  onChoose: (value: string | undefined) => void;
  isRemovable?: boolean;
  onOpenChange?: (isOpen: boolean) => void;
  opensAtOnce?: boolean;
  note?: ReactNode;
}) {
  const chosen = groups.flat().find((choice) => choice.value === value);
  const label = clip(chosen?.label ?? value ?? '', 60);
  const isSet = value !== undefined;
  const menu = (
    <ChoiceMenu
      label={name}
      className={`${isSet ? pill.set : pill.open} ${isSet && isRemovable ? 'rounded-r-none border-r-0 pr-1' : ''}`}
      value={value ?? any}
      groups={[[{ value: any, label: 'Any' }], ...groups]}
      onChoose={(next) => onChoose(next === any ? undefined : next)}
      {...rest}
    >
      {name}
      {isSet && <bdi className="truncate font-semibold">{label}</bdi>}
      <ChevronDown size={14} aria-hidden className="shrink-0" />
    </ChoiceMenu>
  );
  if (!isRemovable) return menu;
  // The menu stays the same element, so that its button keeps the focus.
  return (
    <span className="inline-flex max-w-full">
      {menu}
      {isSet && (
        <button
          type="button"
          aria-label={`Remove filter ${name} ${label}`}
          title="Remove this filter"
          className={`${pill.set} rounded-l-none border-l-0 pr-2 pl-1 text-muted hover:text-text`}
          onClick={({ currentTarget }) => {
            // The button disappears, so the focus moves first.
            currentTarget.parentElement?.querySelector('button')?.focus();
            onChoose(undefined);
          }}
        >
          <X size={14} aria-hidden className="shrink-0" />
        </button>
      )}
    </span>
  );
}
