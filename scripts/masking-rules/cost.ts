import type { Node } from './expression.ts';

/**
 * At most so many characters are compared at one place of a text: the ways in which the parts before a part can end, times the length
 * of the part, added up. A part without an end is last and cannot fail after it began, so it counts once.
 */
export function costOf(parts: readonly Node[]): number {
  const items = parts.flatMap((part) => (part.kind === 'sequence' ? part.items : [part]));
  let cost = 0;
  let ways = 1;
  items.forEach((item, index) => {
    cost += ways * lengthOf(item);
    ways *= waysOf(item, items.slice(index + 1));
  });
  return cost;
}

function lengthOf(node: Node): number {
  switch (node.kind) {
    case 'set':
      return 1;
    case 'choice':
      return node.options.reduce((sum, option) => sum + costOf([option]), 0);
    case 'repeat':
      return (node.max === Infinity ? node.min : node.max) * lengthOf(node.item);
    default:
      return costOf([node]);
  }
}

/** Places where the node can end so that what follows can begin. */
function waysOf(node: Node, rest: readonly Node[]): number {
  switch (node.kind) {
    case 'set':
    case 'assertion':
      return 1;
    case 'choice':
      return node.options.reduce((sum, option) => sum + waysOf(option, rest), 0);
    case 'repeat': {
      const inner = waysOf(node.item, [node.item]);
      if (inner > 1 && node.max > 1) throw new Error('a quantifier is inside another');
      if (rest.length === 0) return 1;
      // After its last character nothing is needed, so it is read once.
      if (node.max === Infinity && rest.every((item) => item.kind === 'repeat' && item.min === 0)) return 1;
      if (node.max === Infinity) throw new Error('a quantifier without an end is inside');
      return isApart(node.item, rest) ? 1 : (node.max - node.min + 1) * inner;
    }
    case 'group':
      return waysOf(node.item, rest);
    case 'sequence':
      return node.items.reduce(
        (product, item, index) => product * waysOf(item, [...node.items.slice(index + 1), ...rest]),
        1,
      );
  }
}

/** No character that the item begins with can begin what follows. */
function isApart(item: Node, rest: readonly Node[]): boolean {
  const first = firstOf([item]);
  const next = firstOf(rest);
  return first !== undefined && next !== undefined && ![...first].some((code) => next.has(code));
}

/** Undefined if it can be empty or is any other character than ASCII. */
function firstOf(items: readonly Node[]): Set<number> | undefined {
  const found = new Set<number>();
  for (const item of items) {
    if (item.kind === 'repeat') {
      const inner = firstOf([item.item]);
      if (inner === undefined) return undefined;
      for (const code of inner) found.add(code);
      if (item.min > 0) return found;
      continue;
    }
    const inner = firstOfOne(item);
    if (inner === undefined) return undefined;
    for (const code of inner) found.add(code);
    return found;
  }
  return undefined;
}

function firstOfOne(node: Node): Set<number> | undefined {
  if (node.kind === 'set') return node.hasOthers ? undefined : new Set(node.chars);
  if (node.kind === 'sequence') return firstOf(node.items);
  if (node.kind === 'group') return firstOfOne(node.item);
  if (node.kind !== 'choice') return undefined;
  const found = new Set<number>();
  for (const option of node.options) {
    const inner = firstOfOne(option);
    if (inner === undefined) return undefined;
    for (const code of inner) found.add(code);
  }
  return found;
}
