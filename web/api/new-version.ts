import { useSyncExternalStore } from 'react';
import { contact } from './browser-contact.ts';

const reloadedFor = 'forgewatch.reloadedFor:';

const listeners = new Set<() => void>();
let isWaiting = false;

/** What somebody has typed into, while it is on the page. */
const typedInto = new Set<HTMLElement>();

addEventListener('input', ({ target }) => {
  if (target instanceof HTMLElement && !target.matches('[type=search]')) typedInto.add(target);
});

/**
 * The server answers and does not have a file of this app: a new version was installed. Loading the page again fetches
 * that one, once for each file, as a server that misses a file would else lead round and round. Whoever has typed
 * something is asked first.
 * @throws what was given, when the page was loaded again for this file before
 */
export async function reloadForPart(error: unknown): Promise<never> {
  if (wasReloadedFor(String(error))) throw error;
  if (hasTyped()) {
    isWaiting = true;
    listeners.forEach((listener) => listener());
  } else location.reload();
  return new Promise(() => {});
}

/** Loads the page again; without a server the browser would show an error page of its own in place of the app. */
export async function reloadIfAnswered(): Promise<void> {
  if (await contact.check()) location.reload();
}

/** Whether a part of the app waits for the person to load the new version. */
export function useIsReloadWanted(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => isWaiting,
  );
}

function hasTyped(): boolean {
  for (const element of typedInto) if (!element.isConnected) typedInto.delete(element);
  return typedInto.size > 0;
}

/** Without storage nothing would end the round. */
function wasReloadedFor(file: string): boolean {
  try {
    const key = reloadedFor + file;
    if (sessionStorage.getItem(key) !== null) return true;
    sessionStorage.setItem(key, '1');
    return false;
  } catch {
    return true;
  }
}
