import { signInCookieName, signInCookiePath, type SignInCookie } from '#contract/identity.ts';

/** As long as somebody may take at the identity provider. */
const cookieSeconds = 600;

/**
 * Goes to the identity provider. The one-time values stay in a cookie that only the callback is sent, so that nobody
 * else's answer can be slipped in (specification 5.1).
 * @param returnTo the page of this app to come back to, with its query
 */
export async function beginSignIn(authorizeUrl: string, returnTo: string): Promise<void> {
  const values = { n: randomText(), nonce: randomText(), codeVerifier: randomText() };
  document.cookie = cookieOf(values);
  location.assign(await signInAddress(authorizeUrl, values, returnTo));
}

/** Browsers make good random numbers and digests only for pages that nobody can change on the way. */
export function canSignIn(): boolean {
  return globalThis.isSecureContext;
}

/** Where the identity provider is asked; only the digest of the verifier leaves the browser. */
export async function signInAddress(
  authorizeUrl: string,
  { n, nonce, codeVerifier }: SignInCookie,
  returnTo: string,
): Promise<string> {
  const url = new URL(authorizeUrl);
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(codeVerifier));
  url.searchParams.set('state', base64url(bytesOf({ redirect_url: returnTo, n })));
  url.searchParams.set('nonce', nonce);
  url.searchParams.set('code_challenge', base64url(new Uint8Array(digest)));
  url.searchParams.set('code_challenge_method', 'S256');
  return url.href;
}

function cookieOf(values: SignInCookie): string {
  const attributes = `Path=${signInCookiePath}; Max-Age=${cookieSeconds}; Secure; SameSite=Lax`;
  return `${signInCookieName}=${base64url(bytesOf(values))}; ${attributes}`;
}

function randomText(): string {
  return base64url(crypto.getRandomValues(new Uint8Array(32)));
}

const bytesOf = (value: object): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}
