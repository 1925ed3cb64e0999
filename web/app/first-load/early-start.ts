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
  for (const path of firstRequests(page, Date.now()))
    sendEarly(path, { headers: { accept: 'application/json' }, signal: AbortSignal.timeout(answerWithinMs) });
  for (const file of pageFiles(page)) sendEarly(`/${file}`, { signal: AbortSignal.timeout(fileWithinMs) });
}
// Last, because the first access to the storage waits for the browser.
showStoredTheme();
