import { sendEarly } from '../../api/early/early-answers.ts';
import { showStoredTheme } from '../../ui/theme/stored-theme.ts';
import { firstRequests } from './first-requests.ts';
import { openPage } from './open-page.ts';
import { pageFiles } from './page-files.ts';

// The build puts this into the page, so it runs before the first paint, and its requests are sent while the app loads.

/** The app asks again when there is no answer by then. */
const answerWithinMs = 15_000;
/** Files share a slow network with the app. */
const fileWithinMs = 60_000;

const page = openPage(location);
if (page !== undefined) {
  // Before the requests, because the browser has to compile them.
  for (const file of pageFiles(page)) {
    const loaded = sendEarly(`/${file}`, { signal: AbortSignal.timeout(fileWithinMs) });
    void loaded.then((answer) => answer && compile(file));
  }
  for (const path of firstRequests(page, Date.now()))
    void sendEarly(path, {
      headers: { accept: 'application/json' },
      signal: AbortSignal.timeout(answerWithinMs),
    });
}
// Last, because the first access to the storage waits for the browser.
showStoredTheme();

/**
 * Lets the browser compile a file while it loads the app. The file must be in the cache: after a failure, Chromium would not
 * import it until the page is reloaded.
 */
function compile(file: string): void {
  const link = document.createElement('link');
  link.rel = 'modulepreload';
  link.href = `/${file}`;
  document.head.append(link);
}
