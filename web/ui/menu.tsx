import Check from 'lucide-react/icons/check';
import { useId, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { menuTarget } from './menu-keys.ts';
import { placeBeside } from './place-beside.ts';

export interface Choice {
  value: string;
  label: string;
  icon?: ReactNode;
}

interface ChoiceMenuProps {
  /** What the list is called. */
  label: string;
  className: string;
  /** What the button shows. */
  children: ReactNode;
  value: string;
  /** Choices of which one holds; groups are set apart by a line. */
  groups: readonly (readonly Choice[])[];
  note?: ReactNode;
  onChoose: (value: string) => void;
  onOpen?: () => void;
}

/** A button that opens a list of choices. The browser closes it, and gives the focus back, as for any popover. */
export function ChoiceMenu({ label, className, children, note, onOpen, ...list }: ChoiceMenuProps) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const popup = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        ref={button}
        type="button"
        aria-haspopup="menu"
        aria-expanded={isOpen}
        popoverTarget={id}
        className={className}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown') return;
          event.preventDefault();
          popup.current?.showPopover();
        }}
      >
        {children}
      </button>
      <div
        ref={popup}
        id={id}
        popover="auto"
        className="fixed m-0 min-w-44 overflow-y-auto rounded-lg border border-line-strong bg-raised p-1 text-text shadow-float"
        onBeforeToggle={({ newState, currentTarget }) => {
          setOpen(newState === 'open');
          if (newState !== 'open' || !button.current) return;
          placeBeside(button.current, currentTarget);
          onOpen?.();
        }}
        onToggle={({ newState, currentTarget }) => newState === 'open' && focusChosen(currentTarget)}
      >
        {isOpen && <Choices label={label} {...list} onClose={() => popup.current?.hidePopover()} />}
        {isOpen && note && <p className="px-2.5 py-1 text-xs text-muted">{note}</p>}
      </div>
    </>
  );
}

function focusChosen(popup: HTMLElement): void {
  const chosen =
    popup.querySelector<HTMLElement>('[aria-checked=true]') ?? popup.querySelector<HTMLElement>('button');
  chosen?.focus();
}

function Choices({
  label,
  value,
  groups,
  onChoose,
  onClose,
}: Pick<ChoiceMenuProps, 'label' | 'value' | 'groups' | 'onChoose'> & { onClose: () => void }) {
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    if (event.key === 'Tab') onClose();
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const items = [...event.currentTarget.querySelectorAll<HTMLElement>('[role=menuitemradio]')];
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
          className={index > 0 ? 'mt-1 border-t border-line pt-1' : 'min-w-0'}
        >
          {choices.map((choice) => (
            <button
              key={choice.value}
              type="button"
              role="menuitemradio"
              aria-checked={choice.value === value}
              tabIndex={-1}
              className="flex w-full items-center gap-2 rounded-md px-2.5 py-1 text-left -outline-offset-2 hover:bg-hover focus:bg-hover pointer-coarse:py-2"
              onClick={() => {
                onClose();
                onChoose(choice.value);
              }}
            >
              {choice.icon}
              <bdi className="min-w-0 grow truncate">{choice.label}</bdi>
              {choice.value === value && <Check size={14} aria-hidden />}
            </button>
          ))}
        </fieldset>
      ))}
    </div>
  );
}
