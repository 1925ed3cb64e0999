import { useEffect } from 'react';

const asked = 'forgewatch:palette';

/** Opens the command palette, from wherever it is asked for. */
export function openPalette(): void {
  dispatchEvent(new Event(asked));
}

/** Ctrl K, or ⌘K, works in fields too, but not in a window: what was filled in there would be lost on another page. */
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
