import { useLayoutEffect, useRef } from 'react';

/** What happens for a key (`KeyboardEvent.key`) that is pressed outside of fields and windows. */
export type Shortcuts = Readonly<Record<string, () => void>>;

/** Keys that work anywhere on the page, or in the window that is open over it, while the component is shown. */
export function useShortcuts(
  shortcuts: Shortcuts,
  where: 'on the page' | 'in a window' = 'on the page',
): void {
  const latest = useRef(shortcuts);
  // Before it can be seen: a key that is pressed at once is meant for what is on screen.
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

/** To the browser, to a field that is typed into, or to an open menu or window. */
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
