import { AnchorIndex } from './anchor-index.ts';
import { inBase64, inUrlEncoding } from './encodings.ts';
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
