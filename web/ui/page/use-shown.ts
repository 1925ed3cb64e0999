import { useDeferredValue } from 'react';

/** False in the first rendering of a component and true right after it, for what can follow the first picture of a page. */
export function useShown(): boolean {
  return useDeferredValue(true, false);
}
