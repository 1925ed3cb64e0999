import { hiddenCharacters } from '#contract/base/plain-text.ts';
import { escapeSequence } from '#server/masking/escape-sequence.ts';

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
