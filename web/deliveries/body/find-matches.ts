import { formatNumber } from '../../ui/locale.ts';
export interface Match {
  start: number;
  end: number;
}

/** A higher number would not help, and every match is highlighted. */
export const mostMatches = 5000;

/** The positions of the text, case-insensitive, at most `mostMatches`. */
export function findMatches(text: string, words: string): Match[] {
  if (words === '') return [];
  const pattern = new RegExp(words.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`), 'giu');
  return text
    .matchAll(pattern)
    .take(mostMatches)
    .map(({ index, 0: found }) => ({ start: index, end: index + found.length }))
    .toArray();
}

/** The next or previous match, wrapping around. */
export function stepThrough(index: number, step: 1 | -1, count: number): number {
  return count === 0 ? 0 : (index + step + count) % count;
}

/** For example `2 of 12`. */
export function matchText(index: number, count: number): string {
  if (count === 0) return 'No match';
  const all = formatNumber(count);
  return `${formatNumber(index + 1)} of ${all}${count >= mostMatches ? ' or more' : ''}`;
}
