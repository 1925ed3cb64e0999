import { useEffect, useRef, type FocusEvent } from 'react';
import { placeOf } from './place-of.ts';

/** Handlers of an element whose parts may disappear. A part that has the focus then leaves it to what takes its place. */
export function useKeptFocus() {
  const heir = useRef<() => HTMLElement | undefined>(undefined);
  useEffect(() => {
    if (document.activeElement === document.body) heir.current?.()?.focus();
  });
  return {
    onFocus: ({ target }: FocusEvent): void => {
      heir.current = placeOf(target);
    },
    onBlur: (): void => {
      heir.current = undefined;
    },
  };
}
