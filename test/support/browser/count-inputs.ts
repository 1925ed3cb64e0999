import type { Page } from 'playwright-core';

/** What a person did on a page since it was opened. */
export interface Inputs {
  clicks: number;
  keys: number;
}

/** Counts clicks, taps and pressed keys from the next opened address on. */
export async function countInputs(page: Page): Promise<Inputs> {
  const inputs: Inputs = { clicks: 0, keys: 0 };
  await page.exposeFunction('noteInput', (kind: keyof Inputs) => void (inputs[kind] += 1));
  await page.addInitScript(`
    addEventListener('pointerdown', (event) => event.isTrusted && window.noteInput('clicks'), true);
    addEventListener('keydown', (event) => event.isTrusted && window.noteInput('keys'), true);`);
  return inputs;
}
