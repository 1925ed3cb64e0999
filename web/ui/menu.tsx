import { Menu } from '@base-ui/react/menu';
import Check from 'lucide-react/icons/check';
import type { ReactNode } from 'react';

export interface Choice {
  value: string;
  label: string;
  icon?: ReactNode;
}

/** A button that opens a list of choices of which one holds. `groups` are set apart by a line. */
export function ChoiceMenu({
  trigger,
  value,
  groups,
  onChoose,
  onOpen,
  note,
}: {
  trigger: React.ReactElement;
  value: string;
  groups: readonly (readonly Choice[])[];
  onChoose: (value: string) => void;
  onOpen?: () => void;
  note?: ReactNode;
}) {
  return (
    <Menu.Root modal={false} onOpenChange={(isOpen) => isOpen && onOpen?.()}>
      <Menu.Trigger render={trigger} />
      <Menu.Portal>
        <Menu.Positioner align="start" sideOffset={5} className="z-40 outline-hidden">
          <Menu.Popup className="max-h-(--available-height) max-w-80 min-w-44 overflow-y-auto rounded-lg border border-line-strong bg-raised p-1 shadow-float outline-hidden">
            <Menu.RadioGroup value={value} onValueChange={onChoose}>
              {groups.map((choices, index) => (
                <div key={choices[0]?.value ?? index}>
                  {index > 0 && <Menu.Separator className="mx-2 my-1 h-px bg-line" />}
                  {choices.map((choice) => (
                    <ChoiceItem key={choice.value} {...choice} />
                  ))}
                </div>
              ))}
            </Menu.RadioGroup>
            {note && <p className="px-2.5 py-1 text-xs text-muted">{note}</p>}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

function ChoiceItem({ value, label, icon }: Choice) {
  return (
    <Menu.RadioItem
      value={value}
      closeOnClick
      className="flex items-center gap-2 rounded-md px-2.5 py-1 outline-hidden data-highlighted:bg-hover pointer-coarse:py-2"
    >
      {icon}
      <bdi className="min-w-0 grow truncate">{label}</bdi>
      <Menu.RadioItemIndicator>
        <Check size={14} aria-hidden />
      </Menu.RadioItemIndicator>
    </Menu.RadioItem>
  );
}
