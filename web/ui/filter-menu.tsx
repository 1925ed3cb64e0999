import ChevronDown from 'lucide-react/icons/chevron-down';
import type { ReactNode } from 'react';
import { clip } from './clip.ts';
import { ChoiceMenu, type Choice } from './menu.tsx';

const any = '';

/** A pill that narrows a list by one property: dashed while it does not, filled with the chosen value when it does. */
export function FilterMenu({
  name,
  value,
  groups,
  onChoose,
  ...rest
}: {
  name: string;
  value: string | undefined;
  groups: readonly (readonly Choice[])[];
  onChoose: (value: string | undefined) => void;
  onOpen?: () => void;
  note?: ReactNode;
}) {
  const chosen = groups.flat().find((choice) => choice.value === value);
  const label = chosen?.label ?? value;
  return (
    <ChoiceMenu
      label={name}
      className={`inline-flex h-7 max-w-56 items-center gap-1.5 rounded-full border px-2.5 pointer-coarse:h-9 ${
        value === undefined
          ? 'border-dashed border-line-strong text-muted hover:bg-hover'
          : 'border-line-strong bg-hover'
      }`}
      value={value ?? any}
      groups={[[{ value: any, label: 'Any' }], ...groups]}
      onChoose={(next) => onChoose(next === any ? undefined : next)}
      {...rest}
    >
      {name}
      {label !== undefined && <bdi className="truncate font-semibold">{clip(label, 60)}</bdi>}
      <ChevronDown size={14} aria-hidden className="shrink-0" />
    </ChoiceMenu>
  );
}
