import assert from 'node:assert/strict';
import { beginSignIn, makeCookieClient, passProvider, type CookieClient } from './cookie-client.ts';
import type { SignInProduct } from './signed-in-product.ts';

let addresses = 0;

/** Behind a trusted proxy, so that no test uses up the sign-ins of another one's address. */
export const newAddress = (): string => `192.0.2.${++addresses}`;

/** As `state` travels. */
export const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64');

/** A query as the web app's own sign-in would bring it, with the browser that began it. */
export async function bound({ publicUrl }: SignInProduct, login = 'ann') {
  const browser = makeCookieClient();
  const { callbackUrl } = await beginSignIn(browser, publicUrl, login);
  return { browser, callbackUrl };
}

/** A sign-in that nobody's cookie knows of: `state` holds `redirect_url` alone, as a client without one-time values sends it. */
export async function plain({ publicUrl }: SignInProduct, login = 'ann', browser = makeCookieClient()) {
  const config = (await (await fetch(`${publicUrl}/config.json`)).json()) as { authorizeUrl: string };
  const url = new URL(config.authorizeUrl);
  url.searchParams.set('state', encode({ redirect_url: '/' }));
  return { browser, callbackUrl: await passProvider(browser, url, login) };
}

interface Outcome {
  status: number;
  code: string | undefined;
  /** Whether a session began. */
  hasTokens: boolean;
  location: string | null;
}

/** Follows the provider's answer to Forgewatch. */
export async function follow(browser: CookieClient, url: URL, accept = 'application/json'): Promise<Outcome> {
  const answer = await browser.fetch(url, { headers: { accept, 'x-forwarded-for': newAddress() } });
  const text = await answer.text();
  return {
    status: answer.status,
    code: text === '' ? undefined : (JSON.parse(text) as { code: string }).code,
    hasTokens: answer.headers.getSetCookie().some((line) => /^(access|id|refresh)Token=/.test(line)),
    location: answer.headers.get('location'),
  };
}

/** Status and code of a sign-in that must not begin a session. */
export async function refusal(browser: CookieClient, url: URL): Promise<[number, string | undefined]> {
  const { status, code, hasTokens } = await follow(browser, url);
  assert.equal(hasTokens, false, 'no session began');
  return [status, code];
}

export const remembersSignIn = (browser: CookieClient): boolean =>
  [...browser.cookies.keys()].some((name) => name.endsWith(' signIn'));

export const changed = (url: URL, change: (query: URLSearchParams) => void): URL => {
  const copy = new URL(url);
  change(copy.searchParams);
  return copy;
};
