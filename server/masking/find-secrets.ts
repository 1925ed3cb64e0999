import { AnchorIndex } from './anchor-index.ts';
import type { TextRange } from './mask.ts';
import { certainPlaces, namedSecrets, places } from './place-formats.ts';
import type { SecretFormat } from './secret-format.ts';
import { ownTokens } from './token-formats.ts';
import { vendorTokens, vendorValues } from './vendor-formats.ts';

/** What is secret in any text. */
const tokenFormats: readonly SecretFormat[] = [...vendorTokens, ...ownTokens, ...certainPlaces];

export const secretFormats: readonly SecretFormat[] = [
  ...tokenFormats,
  ...vendorValues,
  ...places,
  ...namedSecrets,
];

/** The secrets in one line of plain text, in their order and without overlaps. */
export const findSecrets = finderOf(secretFormats);

/** Like `findSecrets`, but without secrets that only a name such as `password:` identifies: in a sentence it is an ordinary word. */
export const findTokens = finderOf(tokenFormats);

/** The secrets of a line of a log, of which `others` were found with the lines around it. */
export function allSecrets(text: string, others: readonly TextRange[]): TextRange[] {
  return others.length === 0 ? findSecrets(text) : merge([...others, ...findSecrets(text)]);
}

function finderOf(formats: readonly SecretFormat[]): (text: string) => TextRange[] {
  const anchors = new AnchorIndex(formats);
  const find = (text: string): TextRange[] => {
    const search = new Search(text);
    anchors.scan(text, (found, at) => search.tryAt(found, at));
    return search.ranges;
  };
  return (text) => {
    const ranges = find(text);
    ranges.push(...inUrlEncoding(text, find), ...inBase64(text, find));
    return ranges.length > 1 ? merge(ranges) : ranges;
  };
}

/** Tries formats where their anchors are in a text. */
class Search {
  readonly ranges: TextRange[] = [];
  readonly #text: string;
  /** Where the last match of a format ends: inside of it the format is not tried again. */
  #ends: Map<SecretFormat, number> | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  tryAt(formats: readonly SecretFormat[], at: number): void {
    let tested: SecretFormat['mayMatch'];
    let passed = true;
    for (const format of formats) {
      if (format.mayMatch !== tested) {
        tested = format.mayMatch;
        passed = tested === undefined || tested(this.#text, at);
      }
      if (passed) this.#try(format, at - (format.offset ?? 0));
    }
  }

  #try(format: SecretFormat, from: number): void {
    if (from < (this.#ends?.get(format) ?? 0)) return;
    format.pattern.lastIndex = from;
    const match = format.pattern.exec(this.#text);
    if (match === null) return;
    this.#ends ??= new Map();
    this.#ends.set(format, from + match[0].length);
    const range = rangeOf(match);
    const { isSecret } = format;
    if (isSecret === undefined || isSecret(this.#text.slice(range.from, range.to))) this.ranges.push(range);
  }
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
    else merged.push({ ...range });
  }
  return merged;
}

type Find = (text: string) => readonly TextRange[];

const none: readonly TextRange[] = [];

/** Secrets in words that URL encoding hides, such as a parameter of an address. One level. */
function inUrlEncoding(text: string, find: Find): readonly TextRange[] {
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
function inBase64(text: string, find: Find): readonly TextRange[] {
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
