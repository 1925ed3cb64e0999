export interface Match {
  start: number;
  end: number;
}

/** More would only be a number to look at, and each one is painted. */
export const mostMatches = 5000;

/** Where the words stand in the text, in either case; at most `mostMatches`. */
export function findMatches(text: string, words: string): Match[] {
  if (words === '') return [];
  const pattern = new RegExp(words.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`), 'giu');
  return text
    .matchAll(pattern)
    .take(mostMatches)
    .map(({ index, 0: found }) => ({ start: index, end: index + found.length }))
    .toArray();
}

/** The next or previous of `count`, from the last one round to the first. */
export function stepThrough(index: number, step: 1 | -1, count: number): number {
  return count === 0 ? 0 : (index + step + count) % count;
}

/** `2 of 12`, or that there is none. */
export function matchText(index: number, count: number): string {
  if (count === 0) return 'No match';
  const all = count.toLocaleString('en');
  return `${(index + 1).toLocaleString('en')} of ${all}${count >= mostMatches ? ' or more' : ''}`;
}
