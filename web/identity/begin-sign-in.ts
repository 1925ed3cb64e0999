import { signInCookieName, signInCookiePath, type SignInCookie } from '#contract/members/identity.ts';

/** The time a person may take at the identity provider. */
const cookieSeconds = 600;

/**
 * Goes to the identity provider. The one-time values are kept in a cookie that is sent only to the callback, which
 * prevents login CSRF.
 * @param returnTo the page of this app to return to, with its query
 */
export async function beginSignIn(authorizeUrl: string, returnTo: string): Promise<void> {
  const values = { n: randomText(), nonce: randomText(), codeVerifier: randomText() };
  document.cookie = cookieOf(values);
  location.assign(await signInAddress(authorizeUrl, values, returnTo));
}

/** Browsers offer `crypto.subtle` only in secure contexts. */
export function canSignIn(): boolean {
  return globalThis.isSecureContext;
}

/** The authorization URL. Only the digest of the PKCE verifier leaves the browser (RFC 7636). */
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
