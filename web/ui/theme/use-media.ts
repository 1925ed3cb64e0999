import { useSyncExternalStore } from 'react';

const lists = new Map<string, MediaQueryList>();

function listOf(query: string): MediaQueryList {
  const list = lists.get(query) ?? matchMedia(query);
  lists.set(query, list);
  return list;
}

/** Whether a media query matches, as live state. */
export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (listener) => {
      listOf(query).addEventListener('change', listener);
      return () => listOf(query).removeEventListener('change', listener);
    },
    () => listOf(query).matches,
  );
}
