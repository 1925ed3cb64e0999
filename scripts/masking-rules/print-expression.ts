import type { Node } from './expression.ts';

/** The expression in the syntax of JavaScript. Only the groups of the tree have a number. */
export function printExpression(node: Node): string {
  switch (node.kind) {
    case 'set':
      return printSet(node.chars, node.hasOthers);
    case 'sequence':
      return printSequence(node.items);
    case 'choice':
      return `(?:${node.options.map(printExpression).join('|')})`;
    case 'group':
      return `(${printExpression(node.item)})`;
    case 'assertion':
      return node.text;
    case 'repeat':
      return printAtom(node.item) + printCount(node.min, node.max);
  }
}

function printAtom(item: Node): string {
  const text = printExpression(item);
  return item.kind === 'sequence' ? `(?:${text})` : text;
}

function printCount(min: number, max: number): string {
  if (min === 0 && max === 1) return '?';
  if (max === Infinity) return min === 0 ? '*' : min === 1 ? '+' : `{${min},}`;
  return min === max ? `{${min}}` : `{${min},${max}}`;
}

/** Letters of both cases, one after the other, share one change of the flag. */
function printSequence(items: readonly Node[]): string {
  let text = '';
  let folded = '';
  const close = (): void => {
    if (folded !== '') text += `(?i:${folded})`;
    folded = '';
  };
  for (const item of items) {
    const letter = bothCases(item);
    const neutral = folded === '' ? undefined : caseless(item);
    if (letter !== undefined) folded += letter;
    else if (neutral !== undefined) folded += neutral;
    else {
      close();
      text += printExpression(item);
    }
  }
  close();
  return text;
}

function bothCases(node: Node): string | undefined {
  if (node.kind !== 'set' || node.chars.size !== 2 || node.hasOthers) return undefined;
  const [one = '', other = ''] = [...node.chars].map((code) => String.fromCharCode(code));
  return one.toLowerCase() === other.toLowerCase() ? one.toLowerCase() : undefined;
}

function caseless(node: Node): string | undefined {
  if (node.kind !== 'set' || node.chars.size !== 1 || node.hasOthers) return undefined;
  const char = String.fromCharCode([...node.chars][0] as number);
  return char.toLowerCase() === char.toUpperCase() ? escaped(char.charCodeAt(0)) : undefined;
}

function printSet(chars: ReadonlySet<number>, hasOthers: boolean): string {
  if (!hasOthers && chars.size === 1) return escaped([...chars][0] as number);
  const shown = hasOthers
    ? Array.from({ length: 128 }, (_, code) => code).filter((code) => !chars.has(code))
    : [...chars];
  const sorted = shown.sort((a, b) => a - b);
  const ranges: [number, number][] = [];
  for (const code of sorted) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === code - 1) last[1] = code;
    else ranges.push([code, code]);
  }
  const text = ranges.map(([from, to]) =>
    to - from < 2
      ? Array.from({ length: to - from + 1 }, (_, index) => inClass(from + index)).join('')
      : `${inClass(from)}-${inClass(to)}`,
  );
  return `[${hasOthers ? '^' : ''}${text.join('')}]`;
}

const isControl = (code: number): boolean => code < 32 || code === 127;
const hex = (code: number): string => `\\x${code.toString(16).padStart(2, '0')}`;

function escaped(code: number): string {
  const char = String.fromCharCode(code);
  return isControl(code) ? hex(code) : /[\\^$.*+?()[\]{}|/]/.test(char) ? `\\${char}` : char;
}

function inClass(code: number): string {
  const char = String.fromCharCode(code);
  return isControl(code) ? hex(code) : /[\\\]^-]/.test(char) ? `\\${char}` : char;
}
