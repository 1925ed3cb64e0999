import { Menu } from '@base-ui/react/menu';
import Check from 'lucide-react/icons/check';
import type { ReactNode, RefObject } from 'react';

export interface Choice {
  value: string;
  label: string;
  icon?: ReactNode;
  /** At the end of the line, for example a count. */
  end?: ReactNode;
}

/** An action, separated from the choices by a line. */
export interface MenuAction {
  label: string;
  icon?: ReactNode;
  /** Why the action is unavailable. */
  reason?: string | undefined;
  onAct: () => void;
}

export interface MenuContent {
  /** The accessible name of the list. */
  label: string;
  value: string;
  /** Groups of choices, separated by lines. */
  groups: readonly (readonly Choice[])[];
  actions?: readonly MenuAction[];
  note?: ReactNode;
  onChoose: (value: string) => void;
}

const itemLook =
  'flex items-center gap-2 rounded-md px-2.5 py-1 -outline-offset-2 data-highlighted:bg-hover data-disabled:text-faint pointer-coarse:py-2';
const line = 'my-1 h-px bg-line';

/** An open menu below the button, or above it where there is more space. */
export function MenuPopup({
  button,
  place,
  onClose,
  label,
  value,
  groups,
  actions = [],
  note,
  onChoose,
}: MenuContent & {
  button: RefObject<HTMLElement | null>;
  place: HTMLElement;
  onClose: () => void;
}) {
  return (
    <Menu.Root
      open
      modal={false}
      onOpenChange={(_, { reason, event }) => {
        // The click on the button closes the menu.
        const isOnButton = event.target instanceof Node && button.current?.contains(event.target);
        if (reason !== 'outside-press' || isOnButton !== true) onClose();
      }}
    >
      <Menu.Portal container={place}>
        <Menu.Positioner
          anchor={button}
          positionMethod="fixed"
          align="start"
          sideOffset={5}
          collisionPadding={8}
          className="z-60"
        >
          <Menu.Popup
            aria-label={label}
            finalFocus={false}
            onKeyDown={({ key }) => key === 'Tab' && onClose()}
            className="max-h-(--available-height) w-max max-w-[min(20rem,var(--available-width))] min-w-44 overflow-y-auto rounded-lg border border-line-strong bg-raised p-1 text-start shadow-float outline-hidden"
          >
            <Choices value={value} groups={groups} onChoose={onChoose} />
            {actions.length > 0 && <Menu.Separator className={line} />}
            {actions.map((action) => (
              <ActionItem key={action.label} action={action} />
            ))}
            {note && <p className="px-2.5 py-1 text-xs text-muted">{note}</p>}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

function Choices({ value, groups, onChoose }: Pick<MenuContent, 'value' | 'groups' | 'onChoose'>) {
  const choices = groups.flat();
  const start = choices.find((choice) => choice.value === value) ?? choices[0];
  return (
    <Menu.RadioGroup value={value} onValueChange={onChoose}>
      {groups.map((group, index) => (
        <Menu.Group key={group[0]?.value ?? index}>
          {index > 0 && <Menu.Separator className={line} />}
          {group.map((choice) => (
            <ChoiceItem key={choice.value} choice={choice} isStart={choice === start} />
          ))}
        </Menu.Group>
      ))}
    </Menu.RadioGroup>
  );
}

function ChoiceItem({ choice: { value, label, icon, end }, isStart }: { choice: Choice; isStart: boolean }) {
  return (
    <Menu.RadioItem
      value={value}
      label={label}
      closeOnClick
      className={itemLook}
      // An open menu focuses its first tab stop.
      {...(isStart && { tabIndex: 0 })}
    >
      {icon}
      <bdi className="line-clamp-2 min-w-0 grow wrap-anywhere">{label}</bdi>
      <Menu.RadioItemIndicator render={<Check size={14} aria-hidden className="shrink-0" />} />
      {end}
    </Menu.RadioItem>
  );
}

function ActionItem({ action: { label, icon, reason, onAct } }: { action: MenuAction }) {
  return (
    <Menu.Item disabled={reason !== undefined} title={reason} className={itemLook} onClick={onAct}>
      {icon}
      <span className="min-w-0 grow truncate">{label}</span>
    </Menu.Item>
  );
}
