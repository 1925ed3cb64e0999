import type { TextRange } from './mask.ts';

type Find = (text: string) => readonly TextRange[];

const none: readonly TextRange[] = [];

/** Secrets in words that URL encoding hides, such as a parameter of an address. One level. */
export function inUrlEncoding(text: string, find: Find): readonly TextRange[] {
  if (!text.includes('%')) return none;
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

/**
 * A word of Base64 whose first six bytes are ASCII and no control characters, which few other words are: of each group of four
 * characters the first, second and third hold the upper bits of a byte.
 */
const quartet = '[I-Za-f][A-HQ-Xg-nw-z0-3][ABEFIJMNQRUVYZcdghklopstwx014589][A-Za-z0-9+/_-]';
const base64 = new RegExp(`(?<![A-Za-z0-9+/_-])(?:${quartet}){2}[A-Za-z0-9+/_-]{12,}={0,2}`, 'g');

/** Words of Base64 whose text contains a secret. One level. */
export function inBase64(text: string, find: Find): readonly TextRange[] {
  if (text.length < 20) return none;
  const ranges: TextRange[] = [];
  base64.lastIndex = 0;
  for (let found = base64.exec(text); found !== null; found = base64.exec(text)) {
    const [word] = found;
    if (find(Buffer.from(word, 'base64').toString('latin1')).length > 0)
      ranges.push({ from: found.index, to: found.index + word.length });
  }
  return ranges;
}
