import type { Page } from 'playwright-core';
import type { CookieClient } from './cookie-client.ts';

/** Gives a page the cookies of somebody who signed in elsewhere. */
export async function giveSession(page: Page, publicUrl: string, { cookies }: CookieClient): Promise<void> {
  const { hostname, host } = new URL(publicUrl);
  await page.context().addCookies(
    [...cookies]
      .filter(([key]) => key.startsWith(`${host} `))
      .map(([key, { value, path }]) => ({
        name: key.slice(host.length + 1),
        value,
        path,
        domain: hostname,
        httpOnly: true,
        secure: true,
        sameSite: 'Lax' as const,
      })),
  );
}
