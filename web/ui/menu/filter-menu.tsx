import type { ReactNode } from 'react';
import { clip } from '../text/clip.ts';
import { ChoiceMenu } from './menu.tsx';
import type { Choice } from './menu-popup.tsx';
import { PillText } from './pill-text.tsx';
import { pill } from './pill.ts';
import { beforeRemove, RemoveFilter } from './remove-filter.tsx';

const any = '';

/** A filter button: dashed without a value, filled with one. `isRemovable` adds a remove button. */
export function FilterMenu({
  name,
  value,
  groups,
  onChoose,
  isRemovable = false,
  none = 'Any',
  ...rest
}: {
  name: string;
  value: string | undefined;
  groups: readonly (readonly Choice[])[];
  onChoose: (value: string | undefined) => void;
  isRemovable?: boolean;
  /** The choice without a value. */
  none?: string;
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
      className={`${isSet ? pill.set : pill.open} ${isSet && isRemovable ? beforeRemove : ''}`}
      value={value ?? any}
      groups={[[{ value: any, label: none }], ...groups]}
      onChoose={(next) => onChoose(next === any ? undefined : next)}
      {...rest}
    >
      <PillText name={name} value={isSet ? label : undefined} />
    </ChoiceMenu>
  );
  if (!isRemovable) return menu;
  // The menu stays the same element, so that its button keeps the focus.
  return (
    <span className="inline-flex max-w-full">
      {menu}
      {isSet && <RemoveFilter name={name} label={label} onRemove={() => onChoose(undefined)} />}
    </span>
  );
}
