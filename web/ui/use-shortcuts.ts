import { useEffect, useRef } from 'react';

/** What happens for a key (`KeyboardEvent.key`) that is pressed outside of fields and windows. */
export type Shortcuts = Readonly<Record<string, () => void>>;

/** Keys that work anywhere on the page, while the component is shown. */
export function useShortcuts(shortcuts: Shortcuts): void {
  const latest = useRef(shortcuts);
  useEffect(() => {
    latest.current = shortcuts;
  });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const action = latest.current[event.key];
      if (action === undefined || event.defaultPrevented || belongsElsewhere(event)) return;
      event.preventDefault();
      action();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
}

/** To the browser, to a field that is typed into, or to an open menu or window. */
export function belongsElsewhere({ ctrlKey, metaKey, altKey, target }: KeyboardEvent): boolean {
  if (ctrlKey || metaKey || altKey) return true;
  if (!(target instanceof Element)) return false;
  return target.closest('input, textarea, select, [contenteditable], [role=menu], [role=dialog]') !== null;
}
