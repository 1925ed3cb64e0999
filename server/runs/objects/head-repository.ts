/**
 * In place of the full name of a fork that the forge does not name: GitHub sends null once a fork is deleted, Forgejo names none. Null
 * in a row means that the forge sends nothing about heads, which is taken for the repository itself.
 */
export const unknownFork = 'fork';

/** SQL: whether the head of a run may be in a repository, a fork. */
export const isMaybeOfFork = (run: string, fork: string): string =>
  `coalesce(nullif(${run}.head_repository, '${unknownFork}'), ${fork}) = ${fork}`;

/** A fork that one event names is known. Of two names, for example of a renamed fork, any order of events keeps the same. */
export function knownHead(one: string | null, other: string | null): string | null {
  const rank = (head: string | null): number => (head === null ? 0 : head === unknownFork ? 1 : 2);
  if (rank(one) !== rank(other)) return rank(one) > rank(other) ? one : other;
  return one !== null && other !== null && other > one ? other : one;
}
