import { contact } from './browser-contact.ts';
import { reloadForPart } from './new-version.ts';

/** Waiting does not restore a file that was removed from the server. */
const mostFailures = 3;
const retryAfterMs = 300;

const attempts = new Set<() => Promise<unknown>>();

/**
 * A lazily loaded part of the app. It is loaded once, on first use or when the browser is idle. Loading waits while
 * the server is unreachable, so the previous screen stays.
 * @param name of the imported file, without its extension
 */
export function definePart<T>(name: string, importFile: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  const attempt = async (): Promise<T> => {
    await Promise.all(filesOf(name).map(fetchOnce));
    return importFile();
  };
  attempts.add(attempt);
  return () => {
    loading ??= loadPatiently(attempt).catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
}

async function loadPatiently<T>(attempt: () => Promise<T>): Promise<T> {
  for (let failures = 1; ; failures++) {
    try {
      return await attempt();
    } catch (error) {
      if (!(await contact.check())) {
        failures = 0;
        await contact.back();
      } else if (failures >= mostFailures) await reloadForPart(error);
      else await new Promise((resolve) => setTimeout(resolve, retryAfterMs * failures));
    }
  }
}

/** The build lists the files. Development has no list. */
function filesOf(name: string): string[] {
  const list = document.querySelector<HTMLMetaElement>('meta[name=parts]')?.content ?? '';
  const part = list.split(',').find((each) => each.startsWith(`${name} `)) ?? '';
  return part.split(' ').slice(1);
}

const fetched = new Map<string, Promise<void>>();

/**
 * Fetches a file into the browser cache, once for all parts. A failed module import is not repeated until the page is
 * reloaded, so a module is imported only after its files are cached.
 */
function fetchOnce(file: string): Promise<void> {
  const fetching = fetched.get(file) ?? fetchFile(file);
  fetched.set(file, fetching);
  // The next attempt fetches it again.
  fetching.catch(() => fetched.delete(file));
  return fetching;
}

async function fetchFile(file: string): Promise<void> {
  const response = await fetch(`/${file}`);
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`${file} could not be loaded: ${response.status}`);
}

/**
 * Loads all parts one by one while the browser is idle, so that every page opens offline. Skipped when the browser
 * saves data.
 */
export async function loadPartsWhenIdle(): Promise<void> {
  if ((navigator as { connection?: { saveData?: boolean } }).connection?.saveData === true) return;
  for (const attempt of attempts) {
    await idle();
    await contact.back();
    // A failed part is loaded again, with an error message, when it is needed.
    await attempt().catch(() => undefined);
  }
}

function idle(): Promise<void> {
  return new Promise((resolve) => {
    // Safari has no idle callbacks.
    if ('requestIdleCallback' in globalThis) requestIdleCallback(() => resolve(), { timeout: 5_000 });
    else setTimeout(resolve, 200);
  });
}
