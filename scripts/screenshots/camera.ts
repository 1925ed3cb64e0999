import path from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { signInPage } from '#test/support/identity/demo-sign-in.ts';
import type { Trial } from '../trial.ts';

export type Session = Pick<BrowserContextOptions, 'storageState'>;

const sizes = {
  desktop: { viewport: { width: 1280, height: 720 } },
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
  tablet: { viewport: { width: 768, height: 1024 } },
  wide: { viewport: { width: 1920, height: 1080 } },
  /** A laptop at 200 % zoom. */
  zoom: { viewport: { width: 640, height: 360 }, deviceScaleFactor: 2 },
} as const satisfies Record<string, BrowserContextOptions>;
type Size = keyof typeof sizes;

/** A state of a page. */
export interface Shot {
  name: string;
  /** The address without the origin. */
  at: string;
  session?: Session;
  /** Intercepts requests before the page is opened. */
  before?: (page: Page) => Promise<unknown>;
  /** Resolves when the page is complete; by default when the network is idle. */
  until?: (page: Page) => Promise<unknown>;
  /** Opens a dialog or menu. */
  act?: (page: Page) => Promise<unknown>;
  /** Also at the other sizes. */
  isMain?: boolean;
  isPrinted?: boolean;
}

export type Camera = (shot: Shot) => Promise<void>;

/** Signs a person in. One session serves many pictures, because sign-ins are rate limited. */
export async function newSession({ browser, publicUrl }: Trial, name?: string): Promise<Session> {
  const page = await browser.newPage();
  await signInPage(page, publicUrl, name);
  const storageState = await page.context().storageState();
  await page.context().close();
  return { storageState };
}

/**
 * Returns a function that takes the pictures of a state as `NAME-SIZE-THEME.png` in `folder`: at desktop and phone size, light and
 * dark, and with forced colours. What does not fit on the screen is in `NAME-SIZE-whole.png`. States whose name contains none of the words are left out.
 */
export function makeCamera({ browser, publicUrl }: Trial, folder: string, words: string[]): Camera {
  return async (shot) => {
    const { name, isMain = false, isPrinted = false } = shot;
    if (!words.some((word) => name.includes(word))) return;
    process.stderr.write(`${name}\n`);
    const taken: Size[] = isPrinted
      ? ['desktop']
      : isMain
        ? Object.keys(sizes).map(asSize)
        : ['desktop', 'phone'];
    for (const size of taken) {
      const context = await browser.newContext({ ...sizes[size], locale: 'en-US', ...shot.session });
      const page = await context.newPage();
      await open(page, publicUrl, shot);
      const file = (end: string) => path.join(folder, `${name}-${size}-${end}.png`);
      if (isPrinted) await print(page, file('print'));
      else await takeThemes(page, size, file);
      await context.close();
    }
  };
}

const asSize = (name: string) => name as Size;

async function open(
  page: Page,
  publicUrl: string,
  { at, before, until = isComplete, act }: Shot,
): Promise<void> {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await before?.(page);
  await page.goto(publicUrl + at);
  await until(page);
  await act?.(page);
}

/** Skeletons are gone and charts are drawn. By its element, because a dialog hides the role. */
async function isComplete(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor({ state: 'attached' });
  await page.waitForLoadState('networkidle');
}

async function takeThemes(page: Page, size: Size, file: (end: string) => string): Promise<void> {
  const isUsual = size === 'desktop' || size === 'phone';
  for (const colorScheme of isUsual ? (['dark', 'light'] as const) : (['light'] as const)) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await drawn(page);
    await page.screenshot({ path: file(colorScheme) });
  }
  if (size === 'desktop') {
    await page.emulateMedia({ forcedColors: 'active', colorScheme: 'dark' });
    await drawn(page);
    await page.screenshot({ path: file('forced') });
    await page.emulateMedia({ forcedColors: null, colorScheme: 'light' });
  }
  const rest = await page.evaluate<number>(hiddenHeight);
  if (!isUsual || rest === 0) return;
  const { width, height } = sizes[size].viewport;
  await page.setViewportSize({ width, height: Math.min(height + rest, 3000) });
  await drawn(page);
  await page.screenshot({ path: file('whole') });
}

/** The most by which the dialog, or without one the page, scrolls down. */
const hiddenHeight = `Math.max(0, ...[...(document.querySelector('[role=dialog]') ?? document).querySelectorAll('*')]
  .filter((one) => ['auto', 'scroll'].includes(getComputedStyle(one).overflowY))
  .map((one) => one.scrollHeight - one.clientHeight))`;

/** On A4 paper. */
async function print(page: Page, file: string): Promise<void> {
  await page.emulateMedia({ media: 'print', colorScheme: 'light' });
  await page.setViewportSize({ width: 794, height: 1123 });
  await drawn(page);
  await page.screenshot({ path: file, fullPage: true });
}

/** The second frame is drawn with the new theme or size. */
const drawn = (page: Page) =>
  page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
