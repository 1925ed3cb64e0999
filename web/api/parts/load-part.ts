import { contact } from '../contact/browser-contact.ts';
import { takeEarly } from '../early/early-answers.ts';
import { listedFiles } from './listed-files.ts';
import { reloadForPart } from './new-version.ts';

/** Waiting does not restore a file that was removed from the server, nor a module that the browser gave up. */
const mostFailures = 3;
const retryAfterMs = 300;
/** A network that drops packets gives no error. A file of 50 KiB needs less, even on the slowest networks. */
const arrivesWithinMs = 60_000;

/** Names of parts that loaded files can use, such as menus, before those of other pages. */
const defined: string[] = [];

/** The server has no such file, because another version of the app is installed. */
class MissingFileError extends Error {}

/**
 * A lazily loaded part of the app. It is imported once, on first use. Loading waits while the server is unreachable, so
 * the previous screen stays.
 * @param name of the imported file, without its extension
 */
export function definePart<T>(name: string, importFile: () => Promise<T>): () => Promise<T> {
  defined.push(name);
  let loading: Promise<T> | undefined;
  const attempt = async (): Promise<T> => {
    const files = (listedFiles().get(name) ?? []).filter((file) => !imported.has(file));
    await Promise.all(files.map((file) => fetchOnce(file)));
    const part = await importFile();
    files.forEach((file) => imported.add(file));
    return part;
  };
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
      } else if (failures >= mostFailures) {
        await reloadForPart(error, error instanceof MissingFileError ? 'new-version' : 'broken-part');
      } else await new Promise((resolve) => setTimeout(resolve, retryAfterMs * failures));
    }
  }
}

/** Files of imported modules. The browser keeps them in memory. */
const imported = new Set<string>();
const fetching = new Map<string, Promise<void>>();

/**
 * Fetches a file into the browser cache, at most once at a time. Chromium does not repeat a failed module import until
 * the page is reloaded, so a module is imported only right after its files were fetched. Files of this app never change,
 * so a cached one causes no request.
 */
function fetchOnce(file: string, priority: RequestPriority = 'auto'): Promise<void> {
  const running = fetching.get(file);
  if (running !== undefined) return running;
  const started = fetchFile(file, priority).finally(() => fetching.delete(file));
  fetching.set(file, started);
  return started;
}

async function fetchFile(file: string, priority: RequestPriority): Promise<void> {
  if (await takeEarly(`/${file}`)) return;
  const response = await fetch(`/${file}`, { priority, signal: AbortSignal.timeout(arrivesWithinMs) });
  await response.arrayBuffer();
  if (response.ok) return;
  const message = `${file} could not be loaded: ${response.status}`;
  throw response.status === 404 ? new MissingFileError(message) : new Error(message);
}

/**
 * Fetches the files of all parts one by one while the browser is idle, so that every page opens offline. It imports
 * none, because an import that the network interrupts would break its page. Waits while the server is unreachable, and
 * ends when files fail although it responds. Skipped when the browser saves data.
 */
export async function loadPartsWhenIdle(): Promise<void> {
  if ((navigator as { connection?: { saveData?: boolean } }).connection?.saveData === true) return;
  const listed = listedFiles();
  const waiting = [...new Set([...defined, ...listed.keys()].flatMap((name) => listed.get(name) ?? []))];
  for (let failures = 0; waiting.length > 0 && failures < mostFailures;) {
    await idle();
    await contact.back();
    const [file = ''] = waiting;
    try {
      if (!imported.has(file)) await fetchOnce(file, 'low');
      waiting.shift();
    } catch {
      if (await contact.check()) failures += 1;
    }
  }
}

function idle(): Promise<void> {
  return new Promise((resolve) => {
    // Safari has no idle callbacks.
    if ('requestIdleCallback' in globalThis) requestIdleCallback(() => resolve(), { timeout: 5_000 });
    else setTimeout(resolve, 200);
  });
}
