import type { Locator, Page } from 'playwright-core';
import { openPage, type PageOptions } from './browser.ts';
import { giveSession } from '#test/support/identity/give-session.ts';
import type { Person, TeamProduct } from '#test/support/team/team.ts';

export interface PersonalPage {
  page: Page;
  errors: string[];
  /** Opens an address of the product. */
  go(path: string): Promise<void>;
}

/** Opens a page in which the person is signed in, with its own session. */
export async function openAs(
  { publicUrl, newSession }: Pick<TeamProduct, 'publicUrl' | 'newSession'>,
  { login }: Pick<Person, 'login'>,
  options: PageOptions = {},
): Promise<PersonalPage> {
  const { page, errors } = await openPage(options);
  await giveSession(page, publicUrl, await newSession(login));
  return { page, errors, go: async (path) => void (await page.goto(publicUrl + path)) };
}

/**
 * Opens an address of the product. If the app shows another page already, it goes there as by a link, which takes a fifth of the time of
 * loading the app again.
 */
export async function visit({ page, go }: Pick<PersonalPage, 'page' | 'go'>, path: string): Promise<void> {
  const target = new URL(path, 'http://forgewatch.invalid');
  const current = new URL(page.url(), 'http://forgewatch.invalid');
  const hasHeading = (await page.locator('h1').count()) > 0;
  // A page that only gets other parameters may keep its heading.
  if (!hasHeading || current.pathname === target.pathname) return go(path);
  await page.evaluate(`document.querySelectorAll('h1').forEach((each) => each.setAttribute('data-before', ''));
    history.pushState(null, '', ${JSON.stringify(path)})`);
  await page.locator('h1[data-before]').first().waitFor({ state: 'detached' });
  await page.locator('h1').first().waitFor({ state: 'attached' });
}

/** Counts clicks, taps and pressed keys from the next opened address on. */
export async function countInputs(page: Page): Promise<{ clicks: number; keys: number }> {
  const inputs = { clicks: 0, keys: 0 };
  await page.exposeFunction('noteInput', (kind: keyof typeof inputs) => void (inputs[kind] += 1));
  await page.addInitScript(`
    addEventListener('pointerdown', (event) => event.isTrusted && window.noteInput('clicks'), true);
    addEventListener('keydown', (event) => event.isTrusted && window.noteInput('keys'), true);`);
  return inputs;
}

/** Waits for the focus, which follows the rendering by a frame or more. */
export async function hasFocus(element: Locator): Promise<void> {
  await element.and(element.page().locator(':focus')).waitFor();
}

/**
 * Closes the menu or dialog that the element has opened, and waits for the focus to return to it. The focus returns after a frame or
 * more: a key that is pressed on another element before then can reach this one.
 */
export async function escapeTo(opener: Locator): Promise<void> {
  await opener.page().keyboard.press('Escape');
  await hasFocus(opener);
}

/**
 * Chooses an item of the menu that opens, by keyboard. The menu gives the focus to one of its items after a frame or more: before that, a key
 * that is pressed on another item can reach this one.
 */
export async function chooseItem(page: Page, name: string | RegExp): Promise<void> {
  await page.getByRole('menu').locator(':focus').waitFor();
  await page.getByRole('menuitemradio', { name }).press('Enter');
}

/**
 * Presses two keys that form one shortcut. The second does not wait for the answer to the first: a busy browser could take longer than the
 * time between them.
 */
export async function pressTogether(page: Page, first: string, second: string): Promise<void> {
  await Promise.all([page.keyboard.press(first), page.keyboard.press(second)]);
}

/** The number of pixels by which the page, its content or a dialog scrolls sideways. Expected: 0. */
export function sidewaysScroll(page: Page): Promise<number> {
  return page.evaluate(`Math.max(
    document.documentElement.scrollWidth - innerWidth,
    ...[...document.querySelectorAll('main > *, [role=dialog]')]
      .filter((one) => ['auto', 'scroll'].includes(getComputedStyle(one).overflowX))
      .map((one) => one.scrollWidth - one.clientWidth))`);
}

/**
 * Texts and controls that end beyond what is around them, where they are cut off or cover something else. What ends in an ellipsis or is
 * reached by scrolling is not among them. Expected: none.
 */
export function cutParts(page: Page): Promise<string[]> {
  return page.evaluate(`(() => {
    const range = document.createRange();
    const isCut = (part) => {
      if (!part.tagName) range.selectNode(part);
      const { right, width } = (part.tagName ? part : range).getBoundingClientRect();
      if (width < 2 || !part.parentElement.checkVisibility({ visibilityProperty: true })) return false;
      let isBeyond = false;
      for (let each = part.parentElement; each; each = each.parentElement) {
        const { overflowX, clipPath, display, textOverflow, webkitLineClamp } = getComputedStyle(each);
        if (clipPath !== 'none' || textOverflow === 'ellipsis' || webkitLineClamp !== 'none') return false;
        if (['auto', 'scroll'].includes(overflowX)) break;
        isBeyond ||= !['inline', 'contents'].includes(display) && right > each.getBoundingClientRect().right + 1;
      }
      return isBeyond;
    };
    const parts = [...document.querySelectorAll('button, input, select')];
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) parts.push(texts.currentNode);
    return parts.filter(isCut).map((part) => part.textContent || part.title || part.name);
  })()`);
}

/**
 * Records the layout shift of each address that is opened from now on (the CLS metric, good up to 0.1). Returns a
 * function that reads the sum.
 */
export async function watchShifts(page: Page): Promise<() => Promise<number>> {
  const watch = `window.shifts = 0; new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifts += entry.value;
  }).observe({ type: 'layout-shift', buffered: false })`;
  await page.addInitScript(watch);
  await page.evaluate(watch);
  return () => page.evaluate('window.shifts');
}
