import { useLayoutEffect, useRef } from 'react';
import { belongsElsewhere } from './use-shortcuts.ts';

const togetherMs = 1200;

/** A shortcut of two keys: `g`, then a letter that `go` handles. */
export function useGoKeys(go: (letter: string) => boolean): void {
  const latest = useRef(go);
  // Registered before paint, like the other shortcuts.
  useLayoutEffect(() => {
    latest.current = go;
  });
  useLayoutEffect(() => {
    let startedAt = -Infinity;
    const onKeyDown = (event: KeyboardEvent): void => {
      if (belongsElsewhere(event)) return;
      const isSecond = event.timeStamp - startedAt < togetherMs;
      startedAt = event.key === 'g' && !isSecond ? event.timeStamp : -Infinity;
      if (!isSecond || !latest.current(event.key)) return;
      // The letter alone may be another shortcut.
      event.preventDefault();
      event.stopImmediatePropagation();
    };
    addEventListener('keydown', onKeyDown, { capture: true });
    return () => removeEventListener('keydown', onKeyDown, { capture: true });
  }, []);
}
