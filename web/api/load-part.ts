import { contact } from './browser-contact.ts';
import { reloadForPart } from './new-version.ts';

/** A file that the server no longer has does not come back by waiting. */
const mostFailures = 3;
const retryAfterMs = 300;

const attempts = new Set<() => Promise<unknown>>();

/**
 * A part of the app in a file of its own, loaded once: when it is first needed, or when the browser has nothing to do.
 * Whoever needs it waits while the server does not answer, so that the screen before stays.
 * @param name of the file that is imported, without its ending
 */
export function definePart<T>(name: string, importFile: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  const attempt = async (): Promise<T> => {
    await Promise.all(filesOf(name).map(fetchFile));
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

/** As the build lists them; none in development. */
function filesOf(name: string): string[] {
  const list = document.querySelector<HTMLMetaElement>('meta[name=parts]')?.content ?? '';
  const part = list.split(',').find((each) => each.startsWith(`${name} `)) ?? '';
  return part.split(' ').slice(1);
}

/**
 * Into the cache of the browser. A module whose import failed once fails until the page is left, even when the network is
 * back, so that it is imported only when its files are here.
 */
async function fetchFile(file: string): Promise<void> {
  const response = await fetch(`/${file}`);
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`${file} could not be loaded: ${response.status}`);
}

/**
 * Loads all parts one after the other while the browser is idle: without a network any page then still opens. Not for
 * people who asked their browser to save data.
 */
export async function loadPartsWhenIdle(): Promise<void> {
  if ((navigator as { connection?: { saveData?: boolean } }).connection?.saveData === true) return;
  for (const attempt of attempts) {
    await idle();
    await contact.back();
    // Whoever needs a part that could not be loaded tries again, and is told.
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
