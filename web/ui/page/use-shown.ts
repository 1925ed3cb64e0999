import { useDeferredValue } from 'react';

/**
 * False in the first rendering of a component and true right after it, for what can follow the first picture of a page. A lazily
 * loaded part needs a `Suspense` that appears with it: an earlier one would delay all that follows until the part is loaded.
 */
export function useShown(): boolean {
  return useDeferredValue(true, false);
}
