import { createHash, randomBytes } from 'node:crypto';

/** A browser as far as sign-in needs one: keeps cookies with their paths and follows no redirect by itself. */
export interface CookieClient {
  cookies: Map<string, { value: string; path: string }>;
  fetch(url: string | URL, init?: RequestInit): Promise<Response>;
  /** A copy with the same cookies that changes apart from this one. */
  copy(): CookieClient;
}

export function makeCookieClient(): CookieClient {
  const cookies: CookieClient['cookies'] = new Map();
  return {
    cookies,
    fetch: async (url, init = {}) => {
      const { host, pathname } = new URL(url);
      const sent = [...cookies]
        .filter(([key, { path }]) => key.startsWith(`${host} `) && pathname.startsWith(path))
        .map(([key, { value }]) => `${key.slice(host.length + 1)}=${value}`);
      const headers = new Headers(init.headers);
      if (sent.length > 0 && !headers.has('cookie')) headers.set('cookie', sent.join('; '));
      const response = await fetch(url, { redirect: 'manual', ...init, headers });
      for (const line of response.headers.getSetCookie()) keep(cookies, host, line);
      return response;
    },
    copy: () => {
      const other = makeCookieClient();
      for (const [key, cookie] of cookies) other.cookies.set(key, cookie);
      return other;
    },
  };
}

function keep(cookies: CookieClient['cookies'], host: string, line: string): void {
  const [pair = '', ...attributes] = line.split('; ');
  const name = pair.slice(0, pair.indexOf('='));
  const path = attributes.find((each) => each.startsWith('Path='))?.slice(5) ?? '/';
  const ends = attributes.includes('Max-Age=0') || attributes.some((each) => each.includes('1970'));
  if (ends) cookies.delete(`${host} ${name}`);
  else cookies.set(`${host} ${name}`, { value: pair.slice(name.length + 1), path });
}

const base64url = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

export interface BegunSignIn {
  /** Where the provider sends the browser back to. */
  callbackUrl: URL;
}

/**
 * Does what the web app and a person do up to the callback: `/config.json`, one-time values in the cookie, the
 * provider's page, and its redirect back, which is not followed.
 */
export async function beginSignIn(
  client: CookieClient,
  baseUrl: string,
  login: string,
  redirectUrl = '/',
): Promise<BegunSignIn> {
  const url = await newSignInUrl(client, baseUrl, redirectUrl);
  return { callbackUrl: await passProvider(client, url, login) };
}

/** Where the web app sends the browser, once it has remembered the one-time values of the address. */
export async function newSignInUrl(client: CookieClient, baseUrl: string, redirectUrl = '/'): Promise<URL> {
  const config = (await (await client.fetch(`${baseUrl}/config.json`)).json()) as { authorizeUrl: string };
  const url = new URL(config.authorizeUrl);
  const signIn = { n: randomText(), nonce: randomText(), codeVerifier: randomText() };
  url.searchParams.set('state', base64url({ redirect_url: redirectUrl, n: signIn.n }));
  url.searchParams.set('nonce', signIn.nonce);
  url.searchParams.set(
    'code_challenge',
    createHash('sha256').update(signIn.codeVerifier).digest('base64url'),
  );
  url.searchParams.set('code_challenge_method', 'S256');
  const { host } = new URL(baseUrl);
  client.cookies.set(`${host} signIn`, { value: base64url(signIn), path: '/api/auth/callback' });
  return url;
}

/** Signs in at the provider's page; a provider that knows the browser already asks nothing. */
export async function passProvider(client: CookieClient, authorizeUrl: URL, login: string): Promise<URL> {
  return followToCallback(client, authorizeUrl, { login });
}

/** Follows redirects to the product's callback, which is not called; the form answers a page on the way. */
export async function followToCallback(
  client: CookieClient,
  from: URL,
  form: Record<string, string>,
): Promise<URL> {
  let url = from;
  for (let step = 0; step < 20; step++) {
    let answer = await client.fetch(url);
    if (answer.status === 200 && url.pathname.includes('/interaction/'))
      answer = await client.fetch(url, { method: 'POST', body: new URLSearchParams(form) });
    const location = answer.headers.get('location');
    if (location === null)
      throw new Error(`${url.pathname} answered ${answer.status}: ${await answer.text()}`);
    url = new URL(location, url);
    if (url.pathname === '/api/auth/callback') return url;
  }
  throw new Error('the provider does not come back');
}

/** The whole sign-in; answers the product's redirect. The callback is called on `baseUrl`, whatever its public name. */
export async function signIn(
  client: CookieClient,
  baseUrl: string,
  login: string,
  redirectUrl?: string,
  /** Where the request says it comes from; counts only behind a trusted proxy. */
  address?: string,
): Promise<Response> {
  const { callbackUrl } = await beginSignIn(client, baseUrl, login, redirectUrl);
  return client.fetch(new URL(callbackUrl.pathname + callbackUrl.search, baseUrl), {
    headers: address === undefined ? {} : { 'x-forwarded-for': address },
  });
}

function randomText(): string {
  return randomBytes(32).toString('base64url');
}
