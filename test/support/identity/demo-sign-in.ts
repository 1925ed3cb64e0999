import type { Page } from 'playwright-core';
import { demoKeyCookieName, demoKeyCookiePath } from '#contract/members/identity.ts';
import { followToCallback, makeCookieClient, newSignInUrl, type CookieClient } from './cookie-client.ts';
import { demoKeyOf } from './demo-keys.ts';
import { giveSession } from './give-session.ts';

/** A browser that signed in on the demo page: the demo user, or a further person of that name. */
export async function signInAsDemo(publicUrl: string, name?: string): Promise<CookieClient> {
  const browser = makeCookieClient();
  giveDemoKey(browser, publicUrl, demoKeyOf(publicUrl));
  const url = await newSignInUrl(browser, publicUrl);
  const answer = await browser.fetch(
    await followToCallback(browser, url, name === undefined ? { demo: '1' } : { name }),
  );
  if (answer.status !== 302) throw new Error(`the sign-in answered ${answer.status}: ${await answer.text()}`);
  return browser;
}

/** Does what the web app does with the address that was printed at start. */
export function giveDemoKey({ cookies }: CookieClient, publicUrl: string, key: string): void {
  cookies.set(`${new URL(publicUrl).host} ${demoKeyCookieName}`, { value: key, path: demoKeyCookiePath });
}

/** Gives a page the session of a sign-in on the demo page, without going through it. */
export async function signInPage(page: Page, publicUrl: string, name?: string): Promise<void> {
  await giveSession(page, publicUrl, await signInAsDemo(publicUrl, name));
}
