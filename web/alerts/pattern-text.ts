import type { GlobFilter } from '#contract/alerts/alerts.ts';

/**
 * One pattern and its comma. A quoted pattern may hold anything. Otherwise it ends at a comma outside parentheses,
 * because names such as `test (ubuntu, 20)` contain commas.
 */
const onePattern = /\s*(!?)\s*(?:"((?:\\[^]|[^"\\])*)"\s*(?=,|$)|((?:\([^()]*\)|[^,])*))(?:,|$)/g;

/** A pattern that can be written without quotes. */
const plainPattern = /^(?![\s!"])(?:\([^()]*\)|[^,()])+(?<!\s)$/;

/** Parses a list of patterns such as `acme/*, !acme/docs`. A leading `!` excludes. */
export function patternsOf(text: string): GlobFilter {
  const all = Array.from(text.matchAll(onePattern), ([, mark, quoted, plain = '']) => ({
    isToLeaveOut: mark === '!',
    pattern: quoted?.replaceAll(/\\(["\\])/g, '$1') ?? plain.trim(),
  })).filter(({ pattern }) => pattern !== '');
  return {
    include: all.filter(({ isToLeaveOut }) => !isToLeaveOut).map(({ pattern }) => pattern),
    exclude: all.filter(({ isToLeaveOut }) => isToLeaveOut).map(({ pattern }) => pattern),
  };
}

/** Formats patterns as the text that `patternsOf` parses. */
export function patternText({ include, exclude }: GlobFilter): string {
  return [...include.map(inText), ...exclude.map((pattern) => `!${inText(pattern)}`)].join(', ');
}

function inText(pattern: string): string {
  return plainPattern.test(pattern) ? pattern : `"${pattern.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
