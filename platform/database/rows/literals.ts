/** The list after `in` for a fixed set of words, such as conclusions. Never for values from outside. */
export function literals(words: readonly string[]): string {
  if (words.some((word) => !/^\w+$/.test(word))) throw new Error('expected words');
  return `(${words.map((word) => `'${word}'`).join(', ')})`;
}
