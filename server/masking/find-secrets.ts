import { anyOf } from '#platform/runtime/any-of.ts';
import { secretFormats, tokenFormats, type SecretFormat } from './formats.ts';
import type { TextRange } from './mask.ts';

/** The secrets in one line of plain text, in their order and without overlaps. */
export const findSecrets = finderOf(secretFormats);

/** Like `findSecrets`, but without secrets that only a name such as `password:` identifies: in a sentence it is an ordinary word. */
export const findTokens = finderOf(tokenFormats);

function finderOf(formats: readonly SecretFormat[]): (text: string) => TextRange[] {
  const mayHoldSecret = anyOf(formats.map(({ pattern }) => pattern));
  return (text) => {
    if (!mayHoldSecret(text)) return [];
    return merge(formats.flatMap(({ pattern }) => [...text.matchAll(pattern)].map(rangeOf)));
  };
}

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
    else merged.push(range);
  }
  return merged;
}
