import { useEffect, useId, useRef, useState, type ReactNode } from 'react';
import { MenuItems, type MenuItemsProps } from './menu-items.tsx';
import { placeBeside } from './place-beside.ts';

interface ChoiceMenuProps extends MenuItemsProps {
  className: string;
  /** The content of the button. */
  children: ReactNode;
  note?: ReactNode;
  onOpenChange?: (isOpen: boolean) => void;
  /** Opens the menu on mount. */
  opensAtOnce?: boolean;
}

/** A button with a popover menu. The browser closes it and restores the focus. */
export function ChoiceMenu({
  className,
  children,
  note,
  onOpenChange,
  opensAtOnce = false,
  ...items
}: ChoiceMenuProps) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const popup = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    if (!opensAtOnce) return;
    // The popover returns the focus here.
    button.current?.focus();
    popup.current?.showPopover();
  }, [opensAtOnce]);
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
          onOpenChange?.(newState === 'open');
          if (newState === 'open' && button.current) placeBeside(button.current, currentTarget);
        }}
        onToggle={({ newState, currentTarget }) => newState === 'open' && focusChosen(currentTarget)}
      >
        {isOpen && <MenuItems {...items} onClose={() => popup.current?.hidePopover()} />}
        {isOpen && note && <p className="px-2.5 py-1 text-xs text-muted">{note}</p>}
      </div>
    </>
  );
}

/** Runs after the popover opened. Keeps the focus if the person has already moved it. */
function focusChosen(popup: HTMLElement): void {
  if (popup.contains(document.activeElement)) return;
  const chosen =
    popup.querySelector<HTMLElement>('[aria-checked=true]') ?? popup.querySelector<HTMLElement>('button');
  chosen?.focus();
}
