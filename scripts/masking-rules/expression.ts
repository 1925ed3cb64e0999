/** A regular expression as a tree. Letters that match in both cases are sets of two characters. */
export type Node =
  | { kind: 'set'; chars: ReadonlySet<number>; hasOthers: boolean }
  | { kind: 'sequence'; items: Node[] }
  | { kind: 'choice'; options: Node[] }
  | { kind: 'repeat'; item: Node; min: number; max: number }
  | { kind: 'group'; item: Node }
  | { kind: 'assertion'; text: string };

type SetNode = Extract<Node, { kind: 'set' }>;

/** Characters of ASCII. `hasOthers` of a set says that it contains all others. */
const ascii = Array.from({ length: 128 }, (_, code) => code);
const codesOf = (text: string): number[] => [...text].map((char) => char.charCodeAt(0));
const between = (from: number, to: number): number[] => ascii.filter((code) => code >= from && code <= to);

const digits = codesOf('0123456789');
const lower = between(97, 122);
const upper = between(65, 90);
const words = [...digits, ...lower, ...upper, ...codesOf('_')];
const spaces = codesOf('\t\n\f\r ');
const classes: Record<string, readonly number[]> = { d: digits, w: words, s: spaces };
const posix: Record<string, readonly number[]> = {
  alnum: [...digits, ...lower, ...upper],
  alpha: [...lower, ...upper],
  digit: digits,
  lower,
  upper,
  xdigit: [...digits, ...codesOf('abcdefABCDEF')],
};

/** Characters of control by their escape. */
const controls: Record<string, number> = { n: 10, r: 13, t: 9, f: 12, v: 11, a: 7 };

/** Reads the syntax of Go (RE2), as far as the rules use it. @throws on any other. */
export function parseExpression(source: string): Node {
  const parser = new Parser(source);
  const node = parser.choice(false);
  if (!parser.isAtEnd) throw new Error(`cannot read ${source.slice(parser.at)}`);
  return node;
}

class Parser {
  at = 0;
  readonly #source: string;
  #ignoresCase = false;
  #dotIsAny = false;

  constructor(source: string) {
    this.#source = source;
  }

  get isAtEnd(): boolean {
    return this.at >= this.#source.length;
  }

  /** Flags that an expression sets hold until the end of its group. */
  choice(isGroup: boolean): Node {
    const before = [this.#ignoresCase, this.#dotIsAny] as const;
    const options = [this.#sequence()];
    while (this.#takes('|')) options.push(this.#sequence());
    if (isGroup) [this.#ignoresCase, this.#dotIsAny] = before;
    return options.length === 1 ? (options[0] as Node) : { kind: 'choice', options };
  }

  #sequence(): Node {
    const items: Node[] = [];
    while (!this.isAtEnd && this.#next !== '|' && this.#next !== ')') {
      const atom = this.#atom();
      if (atom !== undefined) items.push(this.#repeated(atom));
    }
    return { kind: 'sequence', items };
  }

  #repeated(item: Node): Node {
    const found = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})/.exec(this.#source.slice(this.at));
    if (found === null) return item;
    this.at += found[0].length;
    this.#takes('?'); // What matches is the same when it matches less first.
    const [sign, least = '', comma, most] = found;
    if (sign === '?') return { kind: 'repeat', item, min: 0, max: 1 };
    if (sign === '*' || sign === '+')
      return { kind: 'repeat', item, min: sign === '*' ? 0 : 1, max: Infinity };
    const max = comma === '' ? Number(least) : most === '' ? Infinity : Number(most);
    return { kind: 'repeat', item, min: Number(least), max };
  }

  #atom(): Node | undefined {
    const char = this.#take();
    if (char === '(') return this.#group();
    if (char === '[') return this.#class();
    if (char === '.') return excluding(this.#dotIsAny ? [] : codesOf('\n'));
    if (char === '^' || char === '$') return { kind: 'assertion', text: char };
    if (char !== '\\') return this.#set(codesOf(char));
    if (/[bBzA]/.test(this.#next)) return { kind: 'assertion', text: `\\${this.#take()}` };
    const negated = classes[this.#next.toLowerCase()];
    if (/[DWS]/.test(this.#next) && negated !== undefined) {
      this.at++;
      return excluding(negated);
    }
    return this.#set(this.#escaped());
  }

  #group(): Node | undefined {
    if (!this.#takes('?')) return { kind: 'group', item: this.#closed() };
    const named = /^P?<\w+>/.exec(this.#source.slice(this.at));
    if (named !== null) {
      this.at += named[0].length;
      return { kind: 'group', item: this.#closed() };
    }
    const flags = /^([is]*)(?:-([is]*))?([:)])/.exec(this.#source.slice(this.at));
    if (flags === null) throw new Error(`cannot read (?${this.#source.slice(this.at)}`);
    const before = [this.#ignoresCase, this.#dotIsAny] as const;
    this.at += flags[0].length;
    this.#setFlags(flags[1] ?? '', true);
    this.#setFlags(flags[2] ?? '', false);
    if (flags[3] === ')') return undefined;
    const item = this.#closed();
    [this.#ignoresCase, this.#dotIsAny] = before;
    return item;
  }

  #setFlags(flags: string, value: boolean): void {
    if (flags.includes('i')) this.#ignoresCase = value;
    if (flags.includes('s')) this.#dotIsAny = value;
  }

  #closed(): Node {
    const item = this.choice(true);
    if (!this.#takes(')')) throw new Error('a group has no end');
    return item;
  }

  #class(): Node {
    const isNegated = this.#takes('^');
    const found: number[] = [];
    for (let isFirst = true; isFirst || this.#next !== ']'; isFirst = false) found.push(...this.#range());
    this.at++;
    const { chars } = this.#set(found);
    return isNegated ? excluding([...chars]) : { kind: 'set', chars, hasOthers: false };
  }

  #range(): readonly number[] {
    const named = /^\[:(\w+):\]/.exec(this.#source.slice(this.at));
    if (named !== null) {
      this.at += named[0].length;
      return posix[named[1] ?? ''] ?? [];
    }
    const first = this.#member();
    if (this.#next !== '-' || this.#source[this.at + 1] === ']' || first.length !== 1) return first;
    this.at++;
    return between(first[0] as number, this.#member()[0] as number);
  }

  #member(): readonly number[] {
    const char = this.#take();
    return char === '\\' ? this.#escaped() : codesOf(char);
  }

  /** After a backslash. */
  #escaped(): readonly number[] {
    const char = this.#take();
    if (char === 'x') {
      const code = parseInt(this.#source.slice(this.at, this.at + 2), 16);
      this.at += 2;
      return [code];
    }
    const control = controls[char];
    if (control !== undefined) return [control];
    const found = classes[char];
    if (found === undefined && /\w/.test(char)) throw new Error(`cannot read \\${char}`);
    return found ?? codesOf(char);
  }

  #set(codes: readonly number[]): SetNode {
    const folded = this.#ignoresCase
      ? codes.flatMap((code) => {
          const char = String.fromCharCode(code);
          return codesOf(char.toLowerCase() + char.toUpperCase());
        })
      : codes;
    return { kind: 'set', chars: new Set(folded), hasOthers: false };
  }

  get #next(): string {
    return this.#source[this.at] ?? '';
  }

  #take(): string {
    if (this.isAtEnd) throw new Error('the expression ends too early');
    return this.#source[this.at++] as string;
  }

  #takes(char: string): boolean {
    if (this.#next !== char) return false;
    this.at++;
    return true;
  }
}

function excluding(codes: readonly number[]): SetNode {
  return { kind: 'set', chars: new Set(ascii.filter((code) => !codes.includes(code))), hasOthers: true };
}
