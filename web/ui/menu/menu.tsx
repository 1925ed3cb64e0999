import type { ReactNode } from 'react';
import { lazyPart } from '../page/lazy-part.tsx';
import type { MenuContent } from './menu-popup.tsx';
import { PopupButton } from './popup-button.tsx';

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
export function ChoiceMenu({ className, children, onOpenChange, opensAtOnce, ...content }: ChoiceMenuProps) {
  return (
    <PopupButton
      kind="menu"
      Popup={MenuPopup}
      content={content}
      className={className}
      onOpenChange={onOpenChange}
      opensAtOnce={opensAtOnce}
    >
      {children}
    </PopupButton>
  );
}
