import { Suspense, useRef, useState, type ReactNode } from 'react';
import { lazyPart } from '../page/lazy-part.tsx';
import type { MenuContent } from './menu-popup.tsx';

const MenuPopup = lazyPart('menu-popup', 'MenuPopup', () => import('./menu-popup.tsx'));

interface ChoiceMenuProps extends MenuContent {
  className: string;
  /** The content of the button. */
  children: ReactNode;
  onOpenChange?: (isOpen: boolean) => void;
  /** Opens the menu on mount. */
  opensAtOnce?: boolean;
}

/** A button with a menu. The menu is loaded on demand, because it would be a quarter of the first load. */
export function ChoiceMenu({
  className,
  children,
  onOpenChange,
  opensAtOnce = false,
  ...content
}: ChoiceMenuProps) {
  const button = useRef<HTMLButtonElement>(null);
  const [place, setPlace] = useState<HTMLElement | null>(null);
  const [isOpen, setOpen] = useState(opensAtOnce);
  const change = (wantsOpen: boolean): void => {
    if (!wantsOpen && place?.contains(document.activeElement) === true) button.current?.focus();
    setOpen(wantsOpen);
    onOpenChange?.(wantsOpen);
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        aria-haspopup="menu"
        aria-expanded={isOpen}
        className={className}
        onClick={() => change(!isOpen)}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown') return;
          event.preventDefault();
          change(true);
        }}
      >
        {children}
      </button>
      {isOpen && (
        // Beside the button, so that Tab goes on from there without focus guards.
        <div ref={setPlace} className="absolute [&_[data-base-ui-focus-guard]]:hidden">
          <Suspense>
            {place && <MenuPopup button={button} place={place} onClose={() => change(false)} {...content} />}
          </Suspense>
        </div>
      )}
    </>
  );
}
