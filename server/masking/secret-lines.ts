import { findSecrets } from './find-secrets.ts';
import { nameHint, secretNames } from './place-formats.ts';
import type { TextRange } from './mask.ts';
import { PrivateKeys } from './private-keys.ts';

const none: readonly TextRange[] = [];

/** At the end of a line: characters of it that can hold a name and the start of its value. */
const maxTail = 240;
/** Of a token that continues on the next line. */
const longestToken = 1_000;

/** Last characters of a line that begins a value on the next one. The digit is the indentation of a block of YAML. */
const lastOfOpening = ':=>|"\'`\\+-0123456789';

/** A name of a secret whose value is on the lines after it. The groups say how the value ends. */
const opening = new RegExp(
  String.raw`(?:${secretNames}|(?<!unexpected )token)[\w.-]{0,40}\\{0,3}["'\`]?\s{0,4}(?:(?:=>|:=|[:=])\s{0,4}(?:` +
    String.raw`(?<block>[|>][-+\d]{0,2})|(?<quotes>"""|''')[^"']{0,80}|(?<quote>["'\`])|<<[-~]?["']?(?<word>[A-Za-z]\w{0,40})["']?|\\)?|` +
    String.raw`(?:\s[^<>]{0,80})?>)\s{0,4}$`,
  'i',
);

/** What a tool writes before the output of a program. */
const prefix = /^(?:#\d{1,5} [\d.]{1,12} |[+>|] )?/;

/** One word, as a value is, that is no setting, list or marker itself. */
const oneValue =
  /^(?!##\[|::|[\w.-]{1,80}(?:=(?!=?$)|:(?:\s|$))|-+$|<\/?\w|[}\])]+[,;]?$)(?:- )?["'`]?[^\s"'`]{4,}["'`]?[,;\\]?$/;

/** What begins a line after a token that did not fit. A time is none. */
const continued = /^(?!\d{4}-\d\d-\d\d|\d\d:\d\d)[\w+/=.~-]{8,}/;
const looksRandom = /\d|[a-z][A-Z]|^[A-Z]{16}/;

const sentence = /(?:^|\s)[A-Za-z]{2,15}[,.:]?\s+[A-Za-z]{1,15}\s+[A-Za-z]{2,15}\b/;

interface OpenValue {
  /** Characters that end the value. Without them the value is one word, or the lines that are indented more. */
  end?: string;
  indent?: number;
  isSure: boolean;
  left: number;
}

/** Finds secrets that only several lines together identify. Give it each line of a log in order, with the one after it. */
export class SecretLines {
  readonly #keys = new PrivateKeys();
  #open: OpenValue | undefined;
  /** Characters at the start of the next line that continue a token of this one. */
  #carried = 0;

  /** Ranges of the line besides those that `findSecrets` finds in it. */
  find(text: string, next: string): readonly TextRange[] {
    const carried = this.#carried;
    this.#carried = 0;
    if (this.#keys.isKey(text, next) || this.#isValue(text)) return [{ from: 0, to: text.length }];
    this.#begin(text);
    const from = this.#wrapped(text, next, carried);
    if (from === undefined && carried === 0) return none;
    const ranges = carried > 0 ? [{ from: 0, to: carried }] : [];
    if (from !== undefined && from > carried) ranges.push({ from, to: text.length });
    else if (from !== undefined) return [{ from: 0, to: text.length }];
    return ranges;
  }

  #begin(text: string): void {
    const line = text.trimEnd();
    if (!mayOpen(line)) return;
    const tail = line.length > maxTail ? line.slice(-maxTail) : line;
    const found = nameHint.test(tail) ? opening.exec(tail)?.groups : undefined;
    if (found === undefined) return;
    const { block, quotes, quote, word } = found;
    if (block !== undefined) this.#open = { indent: indentOf(text), isSure: true, left: 100 };
    else if (quotes !== undefined) this.#open = { end: quotes, isSure: true, left: 40 };
    else if (word !== undefined) this.#open = { end: word, isSure: true, left: 100 };
    else if (quote !== undefined) this.#open = { end: quote, isSure: false, left: 5 };
    else this.#open = { isSure: false, left: 1 };
  }

  /** The line is a value, or a part of it. */
  #isValue(text: string): boolean {
    const open = this.#open;
    if (open === undefined) return false;
    const said = text.replace(prefix, '').trim();
    if (said === '') return false;
    const isFirst = open.indent !== undefined && open.isSure;
    open.left--;
    if (open.left <= 0) this.#open = undefined;
    if (open.indent !== undefined) {
      open.isSure = false;
      if (isFirst || indentOf(text) > open.indent) return true;
      this.#open = undefined;
      return false;
    }
    if (open.end === undefined) return oneValue.test(said);
    if (text.includes(open.end)) this.#open = undefined;
    else if (!open.isSure && sentence.test(said)) {
      this.#open = undefined;
      return false;
    }
    return true;
  }

  /** Where a token begins that continues on the next line. Remembers how far it continues. */
  #wrapped(text: string, next: string, carried: number): number | undefined {
    const rest = continued.exec(next)?.[0];
    if (rest === undefined || !looksRandom.test(rest) || /\s$/.test(text)) return undefined;
    if (carried > 0 && carried === text.length) {
      this.#carried = rest.length;
      return 0;
    }
    const tail = text.slice(-longestToken);
    const spanning = findSecrets(tail + rest).find(({ from, to }) => from < tail.length && to > tail.length);
    if (spanning === undefined) return undefined;
    this.#carried = rest.length;
    return text.length - tail.length + spanning.from;
  }
}

/** Most lines begin no value. */
function mayOpen(line: string): boolean {
  return (
    lastOfOpening.includes(line.slice(-1)) ||
    line.includes('<<') ||
    line.includes('"""') ||
    line.includes("'''")
  );
}

function indentOf(text: string): number {
  const said = text.replace(prefix, '');
  return said.length - said.trimStart().length;
}
