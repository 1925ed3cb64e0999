import { useEffect } from 'react';

const asked = 'forgewatch:palette';

/** Opens the command palette from anywhere. */
export function openPalette(): void {
  dispatchEvent(new Event(asked));
}

/** Ctrl K or ⌘K. It also works in fields, but not in a dialog, where navigation would discard the input. */
export function usePaletteKey(toggle: () => void, open: () => void): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey) return;
      event.preventDefault();
      toggle();
    };
    addEventListener('keydown', onKeyDown);
    addEventListener(asked, open);
    return () => {
      removeEventListener('keydown', onKeyDown);
      removeEventListener(asked, open);
    };
  }, [toggle, open]);
}
