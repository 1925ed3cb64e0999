import { useSyncExternalStore } from 'react';
import { contact } from '../contact/browser-contact.ts';
import { readStored, store } from '../stored.ts';

const reloadedFor = 'forgewatch.reloadedFor:';

/** `new-version`: the server has the files of another version. `broken-part`: a module failed to load. */
export type ReloadReason = 'new-version' | 'broken-part';

const listeners = new Set<() => void>();
let waitsFor: ReloadReason | undefined;

/** Elements with unsaved input that are still in the document. */
const typedInto = new Set<HTMLElement>();

addEventListener('input', ({ target }) => {
  if (target instanceof HTMLElement && !target.matches('[type=search]')) typedInto.add(target);
});

/**
 * A part of this app can only be loaded after a reload. Reloads the page, once per file to avoid a reload loop. With
 * unsaved input, asks the person first.
 * @throws `error` when the page was already reloaded for this file
 */
export async function reloadForPart(error: unknown, reason: ReloadReason): Promise<never> {
  if (wasReloadedFor(String(error))) throw error;
  if (hasTyped()) {
    waitsFor = reason;
    listeners.forEach((listener) => listener());
  } else location.reload();
  return new Promise(() => {});
}

/** Reloads the page if the server responds. Without it the browser would show its own error page. */
export async function reloadIfAnswered(): Promise<void> {
  if (await contact.check()) location.reload();
}

/** Why the person should reload the page; undefined when there is no need. */
export function useReloadReason(): ReloadReason | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => waitsFor,
  );
}

function hasTyped(): boolean {
  for (const element of typedInto) if (!element.isConnected) typedInto.delete(element);
  return typedInto.size > 0;
}

/** Without storage, nothing would stop a reload loop. */
function wasReloadedFor(file: string): boolean {
  const key = reloadedFor + file;
  return readStored('sessionStorage', key) !== undefined || !store('sessionStorage', key, '1');
}
