/** Answers "does this path verify its caller itself?" for authenticate and the origin check alike. */
export type PublicPrefixes = (path: string) => boolean;

/** A prefix that ends in `/` covers its subtree, any other covers exactly that path (http-api.md). Case counts. */
export function publicPrefixes(prefixes: readonly string[]): PublicPrefixes {
  const exact = new Set(prefixes.filter((prefix) => !prefix.endsWith('/')));
  const subtrees = prefixes.filter((prefix) => prefix.endsWith('/'));
  return (path) => exact.has(path) || subtrees.some((subtree) => path.startsWith(subtree));
}
