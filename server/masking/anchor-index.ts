import type { SecretFormat } from './secret-format.ts';

interface Anchor {
  text: string;
  codes: readonly number[];
  ignoresCase: boolean;
  formats: SecretFormat[];
}

type Visit = (formats: readonly SecretFormat[], at: number) => void;

/** Five bits of each of three characters, in which letters of both cases are equal. */
const bits = 5;
const keyMask = (1 << (3 * bits)) - 1;
const charMask = (1 << bits) - 1;

/** Finds the places where formats can match, in one pass over a text: a table says which three characters begin an anchor. */
export class AnchorIndex {
  /** For three characters the number of their anchors in `#groups`. The first group is empty. */
  readonly #table = new Uint16Array(keyMask + 1);
  readonly #groups: Anchor[][] = [[]];

  constructor(formats: readonly SecretFormat[]) {
    for (const format of formats) for (const text of format.anchors) this.#add(text, format);
  }

  #add(text: string, format: SecretFormat): void {
    if (text.length < 3) throw new Error(`${format.name}: the anchor ${text} is too short`);
    const codes = Array.from(text, (char) => char.charCodeAt(0));
    const key = codes.slice(0, 3).reduce((sum, code) => (sum << bits) | (code & charMask), 0);
    if (this.#table[key] === 0) this.#table[key] = this.#groups.push([]) - 1;
    const group = this.#groups[this.#table[key] as number] as Anchor[];
    const ignoresCase = format.ignoresCase ?? false;
    const known = group.find((anchor) => anchor.text === text && anchor.ignoresCase === ignoresCase);
    if (known === undefined) group.push({ text, codes, ignoresCase, formats: [format] });
    else known.formats.push(format);
  }

  /** Calls `visit` with each place of an anchor and its formats, in the order of the text. */
  scan(text: string, visit: Visit): void {
    const table = this.#table;
    let key = 0;
    for (let index = 0; index < text.length; index++) {
      key = ((key << bits) | (text.charCodeAt(index) & charMask)) & keyMask;
      const group = table[key] as number;
      if (group !== 0 && index >= 2) this.#visitGroup(group, text, index - 2, visit);
    }
  }

  #visitGroup(group: number, text: string, at: number, visit: Visit): void {
    for (const anchor of this.#groups[group] as Anchor[])
      if (isAt(anchor, text, at)) visit(anchor.formats, at);
  }
}

function isAt({ codes, ignoresCase }: Anchor, text: string, at: number): boolean {
  for (let index = 0; index < codes.length; index++) {
    const code = text.charCodeAt(at + index);
    const isUpper = ignoresCase && code >= 65 && code <= 90;
    if ((isUpper ? code + 32 : code) !== codes[index]) return false;
  }
  return true;
}
