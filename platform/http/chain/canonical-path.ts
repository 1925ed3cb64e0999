/** Slashes, dots and ends that are read in several ways, NUL, and what no address holds. */
const ambiguous = /\/\/|\\|#|%2f|%5c|%00|\/\.{1,2}(\/|$)|[^\x21-\x7e]/i;

/** Letters, digits and `-._~`, encoded although nothing demands it: the router decodes them, the matcher does not. */
const needlesslyEncoded = /%(2[de]|3\d|[46][1-9a-f]|[57][\da]|5f|7e)/i;

/**
 * True when a raw request target has one reading only. Two spellings of one path would let the public-prefix matcher
 * and the router disagree about what is being asked for.
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

/** Its query, with each parameter as often as it came. */
export function queryOf(target: string): URLSearchParams {
  return new URLSearchParams(target.slice(pathOf(target).length + 1));
}
