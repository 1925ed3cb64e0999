/** Redirect targets after sign-in: pages of this service, in one spelling only. This prevents open redirects. */

const longest = 2048;
const maxDecodings = 3;

/**
 * Returns the URL to redirect to, or undefined if it is not ours. The result is the parsed URL, never the input.
 */
export function redirectTarget(
  value: string,
  appUrl: string,
  allowedOrigins: readonly string[],
): string | undefined {
  if (value.length > longest || /[\s\p{C}\p{Z}\\]/u.test(value)) return undefined;
  if (!/^\/(?!\/)/.test(value) && !/^https?:\/\/[^/?#]/.test(value)) return undefined;
  if (!URL.canParse(value, appUrl)) return undefined;
  const url = new URL(value, appUrl);
  if (!allowedOrigins.includes(url.origin) || url.username !== '' || url.password !== '') return undefined;
  const path = value.replace(/^https?:\/\/[^/?#]*/, '').replace(/[?#].*$/s, '');
  return hasOneReading(path) && hasOneReading(url.pathname) ? url.href : undefined;
}

/** Browsers and servers decode and shorten paths differently, so paths that could be read in two ways are refused. */
function hasOneReading(path: string): boolean {
  let current = path;
  for (let round = 0; ; round++) {
    if (/\/\/|\/\.{1,2}(\/|$)|\\|\p{Cc}/u.test(current)) return false;
    if (round === maxDecodings) return true;
    try {
      current = decodeURIComponent(current);
    } catch {
      return false;
    }
  }
}
