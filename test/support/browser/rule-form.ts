import type { Locator, Page } from 'playwright-core';

export const newRule = (page: Page): Locator => page.getByRole('link', { name: 'New rule' });

export const channel = (page: Page): Locator => page.getByLabel('Webhook URL or mail addresses');

export const openAdvanced = (page: Page): Promise<void> =>
  page.locator('summary').filter({ hasText: 'Advanced' }).press('Enter');

export const backTest = (page: Page): Locator => page.getByRole('region', { name: 'Last 30 days' });
