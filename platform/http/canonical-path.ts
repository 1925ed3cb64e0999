/**
 * True when a raw request target has one reading only. Two spellings of one path would let the public-prefix matcher
 * and the router disagree about what is being asked for.
 */
export function isCanonicalPath(target: string): boolean {
  const path = pathOf(target);
  return path.startsWith('/') && !/\/\/|\\|%2f|%5c|%2e|%00|\/\.{1,2}(\/|$)|[^\x21-\x7e]/i.test(path);
}

/** The target without its query. */
export function pathOf(target: string): string {
  const end = target.indexOf('?');
  return end === -1 ? target : target.slice(0, end);
}
