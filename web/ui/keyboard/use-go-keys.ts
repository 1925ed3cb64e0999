import { useLayoutEffect, useRef } from 'react';
import { belongsElsewhere } from './use-shortcuts.ts';

const togetherMs = 1200;

/** Reads keys one by one. Returns the key that follows `g` closely, else undefined. */
export function goKeys(): (key: string, at: number) => string | undefined {
  let startedAt = -Infinity;
  return (key, at) => {
    const isSecond = at - startedAt < togetherMs;
    startedAt = key === 'g' && !isSecond ? at : -Infinity;
    return isSecond ? key : undefined;
  };
}

/** A shortcut of two keys: `g`, then a letter that `go` handles. */
export function useGoKeys(go: (letter: string) => boolean): void {
  const latest = useRef(go);
  // Registered before paint, like the other shortcuts.
  useLayoutEffect(() => {
    latest.current = go;
  });
  useLayoutEffect(() => {
    const secondOf = goKeys();
    const onKeyDown = (event: KeyboardEvent): void => {
      if (belongsElsewhere(event)) return;
      const letter = secondOf(event.key, event.timeStamp);
      if (letter === undefined || !latest.current(letter)) return;
      // The letter alone may be another shortcut.
      event.preventDefault();
      event.stopImmediatePropagation();
    };
    addEventListener('keydown', onKeyDown, { capture: true });
    return () => removeEventListener('keydown', onKeyDown, { capture: true });
  }, []);
}
