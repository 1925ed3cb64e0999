import { anchorsOf, type Anchors } from './anchors.ts';
import { costOf } from './cost.ts';
import { parseExpression, type Node } from './expression.ts';
import { printExpression } from './print-expression.ts';

/** A rule of gitleaks, as far as it is used. */
export interface GitleaksRule {
  id: string;
  regex?: string;
}

/** A format as `server/masking/vendor-formats.ts` reads it. */
interface VendorRule extends Anchors {
  id: string;
  /** Is before the secret, with an assignment between them. */
  name?: string;
  secret: string;
  /** The secret does not begin inside a word. */
  isWord?: true;
  /** A prefix identifies the token, so that more of its characters can follow. */
  isPrefixed?: true;
}

/** What a place in a text costs at most, in characters that are compared. */
const maxCost = 5_000;

/** Of a quantifier without an end that is not the last. */
const longestPart = 1_000;

/** How gitleaks writes the parts around a name and a value. */
const anyBefore = String.raw`[\w.-]{0,50}?`;
const assignments = [
  String.raw`(?:[ \t\w.-]{0,20})[\s'"]{0,3}(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)[\x60'"\s=]{0,5}`,
  String.raw`(?:[ \t\w.-]{0,20})[\s'"]{0,3})(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)[\x60'"\s=]{0,5}`,
];
const ends = [
  String.raw`(?:[\x60'"\s;]|\\[nr]|$)`,
  String.raw`(?:[\x60'"\s;]|\\[nr]|$|\b)`,
  String.raw`(?:[^\w-]|\z)`,
  String.raw`(?:[^a-zA-Z0-9+/]|\z)`,
  String.raw`(?:$|[\\'"\x60\s<),])`,
  String.raw`\b`,
];
const starts = [String.raw`(?:^|[\\'"\x60\s>=:(,)])`, String.raw`\b`];

/** @throws with the reason if the expression cannot be converted. */
export function convertRule(rule: GitleaksRule, regex: string): VendorRule[] {
  return splitAlternatives(regex).map((source, index) => convertOne(rule, source, index));
}

/** Of `name = value|token` each part is a rule of its own. */
function splitAlternatives(regex: string): string[] {
  const at = ends.map((text) => regex.indexOf(`${text}|\\b(`)).find((found) => found > 0);
  if (at === undefined) return [regex];
  const bar = regex.indexOf('|\\b(', at);
  return [regex.slice(0, bar), regex.slice(bar + 1)];
}

function convertOne({ id }: GitleaksRule, source: string, index: number): VendorRule {
  const name = index === 0 ? id : `${id}-${index + 1}`;
  const named = assignments.find((text) => source.includes(text));
  return named === undefined ? token(name, source) : assigned(name, source, named);
}

function assigned(id: string, source: string, separator: string): VendorRule {
  const [before = '', after = ''] = source.split(separator);
  // `(?i:` has its end in the separator.
  const closing = separator.includes('{0,3})(') ? ')' : '';
  const name = withoutGroups(parseExpression(before.replaceAll(anyBefore, '') + closing));
  const value = secretOf((before.startsWith('(?i)') ? '(?i)' : '') + withoutEnd(after));
  checkCost([name, value]);
  return {
    id,
    ...anchorsOf(name),
    name: printExpression(name),
    secret: printExpression(value),
  };
}

function token(id: string, source: string): VendorRule {
  const flags = /^\(\?i\)/.exec(source)?.[0] ?? '';
  const text = source.slice(flags.length);
  const isWord = withoutStart(text) !== text;
  const secret = secretOf(flags + withoutEnd(withoutStart(text)));
  const anchors = anchorsOf(secret);
  const isPrefixed =
    anchors.offset === undefined && anchors.anchors.every((anchor) => /^.{3,}[_.-]/.test(anchor));
  const body = isPrefixed ? relaxed(secret) : secret;
  checkCost([body]);
  return {
    id,
    ...anchors,
    secret: printExpression(body),
    ...((isWord || !isPrefixed) && { isWord: true as const }),
    ...(isPrefixed && { isPrefixed }),
  };
}

const withoutStart = (source: string): string => {
  const found = starts.find((text) => source.startsWith(text));
  return found === undefined ? source : withoutStart(source.slice(found.length));
};

const withoutEnd = (source: string): string => {
  const found = ends.find((text) => source.endsWith(text));
  return found === undefined ? source : withoutEnd(source.slice(0, -found.length));
};

/** The group of the secret is the whole expression, or there is none. */
const secretOf = (source: string): Node => bounded(withoutGroups(parseExpression(source)));

function withoutGroups(node: Node): Node {
  switch (node.kind) {
    case 'group':
      return withoutGroups(node.item);
    case 'sequence':
      return flat(node.items.map(withoutGroups));
    case 'choice':
      return { ...node, options: node.options.map(withoutGroups) };
    case 'repeat':
      return { ...node, item: withoutGroups(node.item) };
    default:
      return node;
  }
}

function flat(items: readonly Node[]): Node {
  const parts = items.flatMap((item) => (item.kind === 'sequence' ? item.items : [item]));
  const kept = parts.filter((part) => part.kind !== 'assertion');
  return kept.length === 1 ? (kept[0] as Node) : { kind: 'sequence', items: kept };
}

/** Only the last quantifier can be without an end. */
function bounded(node: Node): Node {
  if (node.kind !== 'sequence') return node;
  const last = node.items.length - 1;
  const items = node.items.map((item, index) =>
    item.kind === 'repeat' && item.max === Infinity && index < last ? { ...item, max: longestPart } : item,
  );
  return { kind: 'sequence', items };
}

/** Shortest part of a token that is relaxed, and what is left of it. */
const longPart = 20;
const shortestPart = 16;

/** Also tokens of half of the length, and longer ones: vendors change lengths, and programs cut them. */
function relaxed(node: Node): Node {
  if (node.kind === 'choice') return { ...node, options: node.options.map(relaxed) };
  if (node.kind !== 'sequence') return node;
  const at = node.items.findLastIndex((item) => item.kind !== 'repeat' || item.min > 0);
  const item = node.items[at];
  if (item?.kind !== 'repeat' || item.min < longPart) return node;
  const part: Node = { ...item, min: Math.max(shortestPart, Math.floor(item.min / 2)), max: Infinity };
  return { kind: 'sequence', items: [...node.items.slice(0, at), part, ...node.items.slice(at + 1)] };
}

function checkCost(parts: readonly Node[]): void {
  const cost = costOf(parts);
  if (cost > maxCost) throw new Error(`a place costs up to ${cost}`);
}
