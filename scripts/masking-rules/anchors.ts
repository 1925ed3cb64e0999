import type { Node } from './expression.ts';

/** Literals of which every match has one. */
export interface Anchors {
  anchors: string[];
  /** Their distance from the start of the match. */
  offset?: number;
  /** Anchors are in lower case and match in any. */
  ignoresCase?: true;
}

/** Shorter literals are too common. */
const shortest = 3;
const longest = 16;
/** A class is expanded to literals up to so many. */
const maxLiterals = 80;

interface Prefixes {
  texts: string[];
  ignoresCase: boolean;
  /** All of the node is in the texts, so what follows it continues them. */
  isWhole: boolean;
}

/** @throws if no place has a literal. */
export function anchorsOf(node: Node): Anchors {
  const items = node.kind === 'sequence' ? node.items : [node];
  for (const mayExpand of [false, true]) {
    let offset = 0;
    for (let index = 0; index < items.length; index++) {
      const { texts, ignoresCase } = prefixesOf({ kind: 'sequence', items: items.slice(index) }, mayExpand);
      if (texts.every((text) => text.length >= shortest)) {
        const cut = texts.map((text) => text.slice(0, longest));
        const distinct = [...new Set(ignoresCase ? cut.map((text) => text.toLowerCase()) : cut)].sort();
        const anchors = distinct.filter(
          (text) => !distinct.some((other) => other !== text && text.startsWith(other)),
        );
        return { anchors, ...(offset > 0 && { offset }), ...(ignoresCase && { ignoresCase }) };
      }
      const width = widthOf(items[index] as Node);
      if (width === undefined) break;
      offset += width;
    }
  }
  throw new Error('no literal');
}

/** Undefined when it varies. */
function widthOf(node: Node): number | undefined {
  if (node.kind === 'set') return 1;
  if (node.kind !== 'repeat' || node.min !== node.max) return undefined;
  const width = widthOf(node.item);
  return width === undefined ? undefined : width * node.min;
}

function prefixesOf(node: Node, mayExpand: boolean): Prefixes {
  switch (node.kind) {
    case 'set':
      return prefixesOfSet(node, mayExpand);
    case 'choice':
      return prefixesOfChoice(node.options.map((option) => prefixesOf(option, mayExpand)));
    case 'sequence':
      return prefixesOfSequence(node.items, mayExpand);
    case 'repeat':
      return prefixesOfRepeat(node, mayExpand);
    default:
      return nothing;
  }
}

const nothing: Prefixes = { texts: [''], ignoresCase: false, isWhole: false };

function prefixesOfSet({ chars, hasOthers }: Extract<Node, { kind: 'set' }>, mayExpand: boolean): Prefixes {
  const texts = [...chars].map((code) => String.fromCharCode(code));
  const folded = new Set(texts.map((text) => text.toLowerCase()));
  const isPair = folded.size === 1 && chars.size === 2;
  if (hasOthers || (chars.size > 1 && !isPair && !mayExpand)) return nothing;
  const ignoresCase = chars.size > folded.size;
  return { texts: ignoresCase ? [...folded] : texts, ignoresCase, isWhole: true };
}

function prefixesOfRepeat(node: Extract<Node, { kind: 'repeat' }>, mayExpand: boolean): Prefixes {
  if (node.min === 0) return nothing;
  const count = Math.min(node.min, longest);
  const found = prefixesOfSequence(
    Array.from({ length: count }, () => node.item),
    mayExpand,
  );
  return { ...found, isWhole: found.isWhole && node.min === node.max && count === node.min };
}

function prefixesOfChoice(options: readonly Prefixes[]): Prefixes {
  return {
    texts: options.flatMap(({ texts }) => texts),
    ignoresCase: options.some(({ ignoresCase }) => ignoresCase),
    isWhole: options.every(({ isWhole }) => isWhole),
  };
}

function prefixesOfSequence(items: readonly Node[], mayExpand: boolean): Prefixes {
  let found: Prefixes = { texts: [''], ignoresCase: false, isWhole: true };
  for (const item of items) {
    const isLong = found.texts.every((text) => text.length >= shortest);
    const next = prefixesOf(item, mayExpand && !isLong);
    if (found.texts.length * next.texts.length > maxLiterals) return { ...found, isWhole: false };
    found = {
      texts: found.texts.flatMap((text) => next.texts.map((after) => text + after)),
      ignoresCase: found.ignoresCase || next.ignoresCase,
      isWhole: next.isWhole,
    };
    if (!found.isWhole) break;
  }
  return found;
}
