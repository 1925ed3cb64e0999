import { useLayoutEffect, useRef } from 'react';

/** Handlers by key (`KeyboardEvent.key`), outside fields and dialogs. */
export type Shortcuts = Readonly<Record<string, () => void>>;

/** Registers shortcuts for the page, or for the open dialog, while the component is mounted. */
export function useShortcuts(
  shortcuts: Shortcuts,
  where: 'on the page' | 'in a window' = 'on the page',
): void {
  const latest = useRef(shortcuts);
  // Registered before paint, so that a key pressed at once reaches the visible component.
  useLayoutEffect(() => {
    latest.current = shortcuts;
  });
  useLayoutEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const action = latest.current[event.key];
      if (action === undefined || event.defaultPrevented) return;
      if (where === 'on the page' ? belongsElsewhere(event) : isTyped(event)) return;
      event.preventDefault();
      action();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, [where]);
}

/** Whether the browser, a text field, an open menu or a dialog handles the key. */
export function belongsElsewhere(event: KeyboardEvent): boolean {
  return isTyped(event) || isWithin(event, '[role=dialog]');
}

function isTyped(event: KeyboardEvent): boolean {
  const { ctrlKey, metaKey, altKey } = event;
  return (
    ctrlKey || metaKey || altKey || isWithin(event, 'input, textarea, select, [contenteditable], [role=menu]')
  );
}

function isWithin({ target }: KeyboardEvent, selector: string): boolean {
  return target instanceof Element && target.closest(selector) !== null;
}
