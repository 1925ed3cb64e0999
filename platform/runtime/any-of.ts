/**
 * Tests whether any of the expressions matches. Most lines match none, and few expressions find that faster than many. Back references
 * are not supported.
 */
export function anyOf(patterns: readonly RegExp[]): (text: string) => boolean {
  const flagsOf = ({ flags }: RegExp): string => flags.replace('g', '');
  const joined = [...new Set(patterns.map(flagsOf))].map((flags) => {
    const sources = patterns.filter((pattern) => flagsOf(pattern) === flags).map(({ source }) => source);
    return new RegExp(sources.map((source) => `(?:${source})`).join('|'), flags);
  });
  return (text) => joined.some((pattern) => pattern.test(text));
}
