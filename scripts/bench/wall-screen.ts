import type { Page } from 'playwright-core';
import type { Wall } from '#contract/integrations/wallboard.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { openInspector, readMemory, type PageMemory } from './page-memory.ts';

/** What one look at a screen finds. */
export interface Look extends PageMemory {
  /** The text of each tile. */
  tiles: string[];
}

/** A browser page that shows the wallboard and is never operated. */
export interface Screen {
  name: string;
  page: Page;
  look(): Promise<Look>;
  /** Whether the page was never loaded again. */
  isFirstLoad(): Promise<boolean>;
}

const words = { failed: 'Failed', passed: 'Passed', none: 'No result' };

export async function openScreen(name: string, page: Page, address: string): Promise<Screen> {
  await page.goto(address);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.evaluate('void (globalThis.isFirstLoad = true)');
  const inspector = await openInspector(page);
  return {
    name,
    page,
    look: async () => ({ ...(await readMemory(inspector)), tiles: await tilesOf(page) }),
    isFirstLoad: () => page.evaluate('globalThis.isFirstLoad === true'),
  };
}

function tilesOf(page: Page): Promise<string[]> {
  return page.getByRole('list', { name: 'Workflows' }).getByRole('listitem').allInnerTexts();
}

/** Waits until a screen says that it has no connection, or says so no more. */
export async function waitForNotice({ page }: Screen, isShown: boolean): Promise<void> {
  const notice = page.getByText('No connection.');
  await notice.waitFor({ state: isShown ? 'visible' : 'detached', timeout: 120_000 });
}

/** Waits until a screen shows the workflows and states of `read`. @throws if it never does */
export async function waitUntilCurrent(
  { name, page }: Screen,
  read: () => Promise<Wall | undefined>,
): Promise<void> {
  await waitUntil(`${name}: the tiles to be current`, async () => {
    const tiles = (await read())?.tiles;
    const shown = await tilesOf(page);
    return (
      tiles !== undefined &&
      shown.length === tiles.length &&
      tiles.every(({ workflow, repository, state }, index) => {
        const [first, second, third = ''] = (shown[index] ?? '').split('\n').filter((line) => line !== '');
        return first === workflow && second === repository && third.startsWith(words[state]);
      })
    );
  });
}
