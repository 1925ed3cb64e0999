import { anyOf } from '#platform/runtime/any-of.ts';
import { secretFormats, tokenFormats, type SecretFormat } from './formats.ts';
import type { TextRange } from './mask.ts';

/** The secrets in one line of plain text, in their order and without overlaps. */
export const findSecrets = finderOf(secretFormats);

/** Like `findSecrets`, but without secrets that only a name such as `password:` identifies: in a sentence it is an ordinary word. */
export const findTokens = finderOf(tokenFormats);

/** The secrets of a line of a log, of which `others` were found with the lines around it. */
export function allSecrets(text: string, others: readonly TextRange[]): TextRange[] {
  return others.length === 0 ? findSecrets(text) : merge([...others, ...findSecrets(text)]);
}

/** A word of Base64. */
const base64 = /[A-Za-z0-9+/_-]{20,}={0,2}/g;
// oxlint-disable-next-line no-control-regex
const printable = /^[\t\n\r\x20-\x7e]+$/;

function finderOf(formats: readonly SecretFormat[]): (text: string) => TextRange[] {
  // Most lines hold none, so each group has one test.
  const groups = [...Map.groupBy(formats, ({ hint }) => hint)].map(([hint, members]) => {
    const patterns = members.map(({ pattern }) => pattern);
    return { mayHold: anyOf(hint === undefined ? patterns : [hint]), patterns };
  });
  const find = (text: string): TextRange[] =>
    groups.flatMap(({ mayHold, patterns }) =>
      mayHold(text) ? patterns.flatMap((pattern) => [...text.matchAll(pattern)].map(rangeOf)) : [],
    );
  return (text) => {
    const ranges = [...find(text), ...inUrlEncoding(text, find), ...inBase64(text, find)];
    return ranges.length > 1 ? merge(ranges) : ranges;
  };
}

/** One level: what an address contains as a parameter. */
function inUrlEncoding(text: string, find: (text: string) => TextRange[]): TextRange[] {
  if (!text.includes('%')) return [];
  const words = [...text.matchAll(/\S+/g)].filter(({ 0: word }) => /%[0-9a-f]{2}/i.test(word));
  return words.flatMap(({ 0: word, index }) => {
    // Where each character of the decoded text is in the word.
    const places: number[] = [];
    let decoded = '';
    for (let at = 0; at < word.length; places.push(index + at), at += isEscape(word, at) ? 3 : 1)
      decoded += isEscape(word, at)
        ? String.fromCharCode(parseInt(word.slice(at + 1, at + 3), 16))
        : word[at];
    places.push(index + word.length);
    return find(decoded).map(({ from, to }) => ({ from: places[from]!, to: places[to]! }));
  });
}

function isEscape(word: string, at: number): boolean {
  return word[at] === '%' && /^[0-9A-Fa-f]{2}$/.test(word.slice(at + 1, at + 3));
}

/** One level: all of the word when its text contains a secret. */
function inBase64(text: string, find: (text: string) => TextRange[]): TextRange[] {
  if (text.length < 20) return [];
  return [...text.matchAll(base64)]
    .filter(({ 0: word }) => isPrintable(word.slice(0, 8)) && find(decode(word)).length > 0)
    .map(({ 0: word, index }) => ({ from: index, to: index + word.length }));
}

const decode = (word: string): string => Buffer.from(word, 'base64').toString('latin1');
const isPrintable = (word: string): boolean => printable.test(decode(word));

/** The group that took part in the match, else all of it. */
function rangeOf(match: RegExpExecArray): TextRange {
  const secret = match.slice(1).find((group) => group !== undefined) ?? match[0];
  const from = match.index + match[0].lastIndexOf(secret);
  return { from, to: from + secret.length };
}

function merge(ranges: TextRange[]): TextRange[] {
  const merged: TextRange[] = [];
  for (const range of ranges.sort((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last !== undefined && range.from <= last.to) last.to = Math.max(last.to, range.to);
    else merged.push({ ...range });
  }
  return merged;
}
