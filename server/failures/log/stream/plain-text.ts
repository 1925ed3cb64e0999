import { hiddenCharacters } from '#contract/base/plain-text.ts';

/**
 * Every form of an escape sequence (ECMA-48, 5.4 and 5.6). A class never contains the character that follows it, so that a match takes
 * linear time. The first group holds the parameters of a change of colour.
 */
export const escapeSequence =
  // oxlint-disable-next-line no-control-regex
  /(?:\u001b\[|\u009b)(?:([0-9;:]*)m|[0-?]*[ -/]*[@-~]?)|\u001b\][^\u0007\u001b\n]*(?:\u0007|\u001b\\)?|\u001b[PX^_][^\u001b\n]*(?:\u001b\\)?|\u001b[ -/]*[0-~]?/g;

const allButSpaces = hiddenCharacters.replace(
  String.raw`\u0000-\u001f`,
  String.raw`\u0000-\u0008\u000b-\u001f`,
);
/** Also tag characters, which encode invisible ASCII. One expression for both takes less time than one after the other. */
const removed = new RegExp(`${escapeSequence.source}|[${allButSpaces}\\u{e0000}-\\u{e0fff}]`, 'gu');
const mayHide = /[^\t\n\x20-\x7e]/;

/**
 * Text as a reader sees it: without escape sequences and hidden characters. They are removed and not replaced, because a secret that
 * contains one is then found. Line feeds stay, so the lines of the result are those of `raw`.
 */
export function plainText(raw: string): string {
  if (!mayHide.test(raw)) return raw;
  return raw.replace(removed, '');
}

/** One line with single spaces, at most `maxLength` characters. */
export function oneLineText(text: string, maxLength: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return (line.length <= maxLength ? line : `${line.slice(0, maxLength - 1)}…`).toWellFormed();
}
