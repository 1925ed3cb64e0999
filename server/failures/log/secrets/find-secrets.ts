import type { TextRange } from '../stream/spans.ts';
import { anyOf } from '../any-of.ts';
import { secretFormats } from './formats.ts';

const mayHoldSecret = anyOf(secretFormats.map(({ pattern }) => pattern));

/** The secrets in one line of plain text, in their order and without overlaps. */
export function findSecrets(text: string): TextRange[] {
  if (!mayHoldSecret(text)) return [];
  const found = secretFormats.flatMap(({ pattern }) => [...text.matchAll(pattern)].map(rangeOf));
  return merge(found);
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
