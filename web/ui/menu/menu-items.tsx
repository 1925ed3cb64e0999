import Check from 'lucide-react/icons/check';
import type { KeyboardEvent, ReactNode } from 'react';
import { menuTarget } from './menu-keys.ts';

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

export interface MenuItemsProps {
  /** The accessible name of the list. */
  label: string;
  value: string;
  /** Groups of choices, separated by lines. */
  groups: readonly (readonly Choice[])[];
  actions?: readonly MenuAction[];
  onChoose: (value: string) => void;
}

const itemLook =
  'flex w-full items-center gap-2 rounded-md px-2.5 py-1 text-left -outline-offset-2 hover:bg-hover focus:bg-hover aria-disabled:text-faint pointer-coarse:py-2';

/** The items of an open menu. Arrows, Home, End and letters move the focus. */
export function MenuItems({
  label,
  value,
  groups,
  actions = [],
  onChoose,
  onClose,
}: MenuItemsProps & { onClose: () => void }) {
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    if (event.key === 'Tab') onClose();
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const items = [...event.currentTarget.querySelectorAll<HTMLElement>('[role^=menuitem]')];
    const current = items.findIndex((item) => item === document.activeElement);
    const target = menuTarget(
      event.key,
      items.map((item) => item.textContent ?? ''),
      current,
    );
    if (target === undefined) return;
    event.preventDefault();
    items[target]?.focus();
  };
  return (
    <div role="menu" tabIndex={-1} aria-label={label} onKeyDown={onKeyDown}>
      {groups.map((choices, index) => (
        <fieldset
          key={choices[0]?.value ?? index}
          className={`min-w-0 ${index > 0 ? 'mt-1 border-t border-line pt-1' : ''}`}
        >
          {choices.map((choice) => (
            <button
              key={choice.value}
              type="button"
              role="menuitemradio"
              aria-checked={choice.value === value}
              tabIndex={-1}
              className={itemLook}
              onClick={() => {
                onClose();
                onChoose(choice.value);
              }}
            >
              {choice.icon}
              <bdi className="min-w-0 grow truncate">{choice.label}</bdi>
              {choice.value === value && <Check size={14} aria-hidden className="shrink-0" />}
              {choice.end}
            </button>
          ))}
        </fieldset>
      ))}
      {actions.length > 0 && (
        <fieldset className="mt-1 min-w-0 border-t border-line pt-1">
          {actions.map((action) => (
            <Action key={action.label} action={action} onClose={onClose} />
          ))}
        </fieldset>
      )}
    </div>
  );
}

function Action({
  action: { label, icon, reason, onAct },
  onClose,
}: {
  action: MenuAction;
  onClose: () => void;
}) {
  return (
    <button
      type="button"
      role="menuitem"
      tabIndex={-1}
      aria-disabled={reason !== undefined}
      title={reason}
      className={itemLook}
      onClick={() => {
        if (reason !== undefined) return;
        onClose();
        onAct();
      }}
    >
      {icon}
      <span className="min-w-0 grow truncate">{label}</span>
    </button>
  );
}
