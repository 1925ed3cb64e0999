import type { GlobFilter } from '#contract/alerts.ts';

/**
 * One pattern of a text, with the comma behind it: in quotes any pattern at all, else up to a comma outside of
 * parentheses, as those within belong to names such as `test (ubuntu, 20)`.
 */
const onePattern = /\s*(!?)\s*(?:"((?:\\[^]|[^"\\])*)"\s*(?=,|$)|((?:\([^()]*\)|[^,])*))(?:,|$)/g;

/** What is read as it stands without quotes, whatever stands beside it. */
const plainPattern = /^(?![\s!"])(?:\([^()]*\)|[^,()])+(?<!\s)$/;

/** Reads patterns that are written as one text, such as `acme/*, !acme/docs`: `!` leaves out what the pattern takes. */
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

/** The text that is read as these patterns. */
export function patternText({ include, exclude }: GlobFilter): string {
  return [...include.map(inText), ...exclude.map((pattern) => `!${inText(pattern)}`)].join(', ');
}

function inText(pattern: string): string {
  return plainPattern.test(pattern) ? pattern : `"${pattern.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
