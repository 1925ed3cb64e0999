/** Each merge is commutative, associative and idempotent. It returns `a` itself when `b` adds nothing. */

const maxEntries = 100;

/**
 * The union: in the order of the list that contains all labels, else sorted. When both contain all labels, the list that sorts
 * last wins.
 */
export function mergeLabels(a: string[], b: string[]): string[] {
  if (b.length === 0 || sameList(a, b)) return a;
  if (a.length === 0) return b;
  const union = new Set([...a, ...b]);
  const [aIsWhole, bIsWhole] = [union.size === a.length, union.size === b.length];
  if (aIsWhole && bIsWhole) return compareLists(a, b) >= 0 ? a : b;
  if (aIsWhole || bIsWhole) return aIsWhole ? a : b;
  return [...union].sort(compareText).slice(0, maxEntries);
}

/** The union in ascending order. */
export function mergeNumbers(a: number[], b: number[]): number[] {
  if (b.every((number) => a.includes(number))) return a;
  return [...new Set([...a, ...b])].sort((one, other) => one - other).slice(0, maxEntries);
}

export function earliest<T extends number | null>(a: T, b: T): T {
  if (a === null || b === null) return a ?? b;
  return b < a ? b : a;
}

function sameList(a: string[], b: string[]): boolean {
  return a.length === b.length && a.every((entry, index) => entry === b[index]);
}

function compareLists(a: string[], b: string[]): number {
  const index = a.findIndex((entry, at) => entry !== b[at]);
  return index < 0 ? 0 : compareText(a[index] ?? '', b[index] ?? '');
}

export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
