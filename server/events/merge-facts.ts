import type { JobStep } from '#contract/monitoring.ts';
import type { OlderFacts, VersionedRow } from '#server/runs/rows.ts';
import { statusRank } from '#server/runs/staleness.ts';

/**
 * Each merge is commutative, associative and idempotent, so events may arrive in any order, repeated and in any batches: the
 * row ends the same.
 */

type Fact = string | number | null;
export type WithFacts = VersionedRow & { olderFacts: OlderFacts };

/** Takes the newest value of each fact that is not null. Returns `winner` itself when it already has all of them. */
export function mergeFacts<Row extends WithFacts>(
  names: readonly (keyof Row & string)[],
  winner: Row,
  loser: Row,
): Row {
  let merged = winner;
  for (const name of names) {
    if (loser[name] === null || !isNewerFact(loser, winner, name)) continue;
    if (merged === winner) merged = { ...winner, olderFacts: { ...winner.olderFacts } };
    merged[name] = loser[name];
    setFactVersion(merged, name, factVersion(loser, name));
  }
  return merged;
}

function isNewerFact<Row extends WithFacts>(one: Row, other: Row, name: keyof Row & string): boolean {
  if (other[name] === null) return true;
  // The usual case: the newest event has the newest value.
  if (other.olderFacts?.[name] === undefined && Buffer.compare(one.version, other.version) < 0) return false;
  const [a, b] = [factVersion(one, name), factVersion(other, name)];
  return a === b ? (one[name] as Fact)! > (other[name] as Fact)! : a > b;
}

function factVersion(row: WithFacts, name: string): string {
  return row.olderFacts?.[name] ?? row.version.toString('hex');
}

function setFactVersion(row: WithFacts, name: string, version: string): void {
  const { [name]: _, ...others } = row.olderFacts ?? {};
  const olderFacts = version === row.version.toString('hex') ? others : { ...others, [name]: version };
  row.olderFacts = Object.keys(olderFacts).length === 0 ? null : olderFacts;
}

const maxEntries = 100;
export const maxSteps = 1000;

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

/** Takes for each number the step with the most progress. In both lists the numbers ascend and are unique. */
export function mergeSteps(a: JobStep[], b: JobStep[]): JobStep[] {
  const merged: JobStep[] = [];
  let isA = true;
  for (let [i, j] = [0, 0]; i < a.length || j < b.length;) {
    const [one, other] = [a[i], b[j]];
    if (other === undefined || (one !== undefined && one.number < other.number)) {
      merged.push(one!);
      i += 1;
      continue;
    }
    const isSame = one?.number === other.number;
    const isFurther = !isSame || compareSteps(other, one!) > 0;
    merged.push(isFurther ? other : one!);
    isA &&= !isFurther;
    if (isSame) i += 1;
    j += 1;
  }
  return isA ? a : merged.slice(0, maxSteps);
}

/** Most progress, then latest time. The rest only makes the order total. */
function compareSteps(a: JobStep, b: JobStep): number {
  return (
    statusRank(a.status) - statusRank(b.status) ||
    compareText(a.completedAt ?? '', b.completedAt ?? '') ||
    compareText(a.startedAt ?? '', b.startedAt ?? '') ||
    compareText(a.conclusion ?? '', b.conclusion ?? '') ||
    compareText(a.name, b.name) ||
    compareText(a.status, b.status)
  );
}

function sameList(a: string[], b: string[]): boolean {
  return a.length === b.length && a.every((entry, index) => entry === b[index]);
}

function compareLists(a: string[], b: string[]): number {
  const index = a.findIndex((entry, at) => entry !== b[at]);
  return index < 0 ? 0 : compareText(a[index] ?? '', b[index] ?? '');
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
