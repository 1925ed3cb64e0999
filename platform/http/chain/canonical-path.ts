/** Slashes, dots and delimiters that parsers read differently, NUL, and characters that a URL cannot contain. */
const ambiguous = /\/\/|\\|#|%2f|%5c|%00|\/\.{1,2}(\/|$)|[^\x21-\x7e]/i;

/** Percent-encoded unreserved characters (RFC 3986): the router decodes them, the prefix matcher does not. */
const needlesslyEncoded = /%(2[de]|3\d|[46][1-9a-f]|[57][\da]|5f|7e)/i;

/**
 * True when a raw request target is unambiguous. With two spellings of one path the public-prefix matcher and the router
 * could disagree, and a protected route could be reached without a session.
 */
export function isCanonicalPath(target: string): boolean {
  const path = pathOf(target);
  return path.startsWith('/') && !ambiguous.test(path) && !needlesslyEncoded.test(path);
}

/** The target without its query. */
export function pathOf(target: string): string {
  const end = target.indexOf('?');
  return end === -1 ? target : target.slice(0, end);
}

/** The query, including repeated parameters. */
export function queryOf(target: string): URLSearchParams {
  return new URLSearchParams(target.slice(pathOf(target).length + 1));
}
