import { useLayoutEffect, useRef } from 'react';
import { belongsElsewhere } from './use-shortcuts.ts';

const togetherMs = 1200;

/** Two keys after each other: `g`, then a letter of which `go` knows where it leads. */
export function useGoKeys(go: (letter: string) => boolean): void {
  const latest = useRef(go);
  // As for other keys, before what they are meant for can be seen.
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
      // The letter by itself may mean something else.
      event.preventDefault();
      event.stopImmediatePropagation();
    };
    addEventListener('keydown', onKeyDown, { capture: true });
    return () => removeEventListener('keydown', onKeyDown, { capture: true });
  }, []);
}
