import type { OlderFacts } from './columns.ts';
import type { Version } from '../staleness.ts';

type Fact = string | number | null;
export interface WithFacts extends Record<string, unknown> {
  version: Version;
  /** Absent in objects without facts. */
  olderFacts?: OlderFacts;
}

/** Takes the newest value of each fact that is not null. Returns `winner` itself when it already has all of them. */
export function mergeFacts(names: readonly string[], winner: WithFacts, loser: WithFacts): WithFacts {
  let merged = winner;
  for (const name of names) {
    if (loser[name] === null || !isNewerFact(loser, winner, name)) continue;
    if (merged === winner) merged = { ...winner, olderFacts: { ...winner.olderFacts } };
    merged[name] = loser[name];
    setFactVersion(merged, name, factVersion(loser, name));
  }
  return merged;
}

function isNewerFact(one: WithFacts, other: WithFacts, name: string): boolean {
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
