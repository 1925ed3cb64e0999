/** Redirect targets after sign-in: pages of this service, in one spelling only. This prevents open redirects. */

const longest = 2048;
const maxDecodings = 3;

/**
 * The address to send the browser to, or undefined when it is not ours. The answer is what was understood, never what
 * was given.
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

/** Browsers and servers decode and shorten paths differently; ours has nothing to decode differently. */
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
