import type { Page } from 'playwright-core';

/** Navigates like a link. */
export const follow = (page: Page, path: string): Promise<void> =>
  page.evaluate(`history.pushState({}, '', ${JSON.stringify(path)})`);

/** Makes every import of the file fail. Its bytes can be fetched. */
export const failImport = (page: Page) =>
  page.route('**/assets/members-page*', (route) =>
    route.request().resourceType() === 'script' ? route.abort('connectionreset') : route.continue(),
  );

/** Waits for a text, also one that is out of sight. */
export const shows = (page: Page, text: string | RegExp): Promise<void> =>
  page.getByText(text).first().waitFor({ state: 'attached' });
