import type { Locator, Page } from 'playwright-core';
import { openPage, type PageOptions } from './browser.ts';
import { giveSession } from './give-session.ts';
import type { Person, TeamProduct } from './team.ts';

export interface PersonalPage {
  page: Page;
  errors: string[];
  /** Opens an address of the product. */
  go(path: string): Promise<void>;
}

/** A page in which this person is signed in, with a session of its own. */
export async function openAs(
  { publicUrl, newSession }: Pick<TeamProduct, 'publicUrl' | 'newSession'>,
  { login }: Pick<Person, 'login'>,
  options: PageOptions = {},
): Promise<PersonalPage> {
  const { page, errors } = await openPage(options);
  await giveSession(page, publicUrl, await newSession(login));
  return { page, errors, go: async (path) => void (await page.goto(publicUrl + path)) };
}

/** Waits for the focus, which follows what is shown by a frame or more: what is typed before goes elsewhere. */
export async function hasFocus(element: Locator): Promise<void> {
  await element.and(element.page().locator(':focus')).waitFor();
}

/** How far the page, what scrolls in it below its header, or a dialog can be pushed sideways, in pixels; 0 is as it should be. */
export function sidewaysScroll(page: Page): Promise<number> {
  return page.evaluate(`Math.max(
    document.documentElement.scrollWidth - innerWidth,
    ...[...document.querySelectorAll('main > *, [role=dialog]')]
      .filter((one) => ['auto', 'scroll'].includes(getComputedStyle(one).overflowX))
      .map((one) => one.scrollWidth - one.clientWidth))`);
}

/**
 * Adds up from here on, for each address that is opened, how far things moved that nobody moved: the browser's own
 * measure, of which up to 0.1 passes for good. Answers how to ask for the sum.
 */
export async function watchShifts(page: Page): Promise<() => Promise<number>> {
  const watch = `window.shifts = 0; new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifts += entry.value;
  }).observe({ type: 'layout-shift', buffered: false })`;
  await page.addInitScript(watch);
  await page.evaluate(watch);
  return () => page.evaluate('window.shifts');
}
