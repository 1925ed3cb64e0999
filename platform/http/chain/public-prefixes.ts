/** True for paths that verify their caller themselves. Authentication and the origin check both use it. */
export type PublicPrefixes = (path: string) => boolean;

/** A prefix that ends in `/` covers its subtree, any other prefix only that path. Case-sensitive. */
export function publicPrefixes(prefixes: readonly string[]): PublicPrefixes {
  const exact = new Set(prefixes.filter((prefix) => !prefix.endsWith('/')));
  const subtrees = prefixes.filter((prefix) => prefix.endsWith('/'));
  return (path) => exact.has(path) || subtrees.some((subtree) => path.startsWith(subtree));
}
