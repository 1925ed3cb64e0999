import {
  changeKinds,
  changeThresholds as least,
  minimumRuns,
  minimumRunsP95,
  type Change,
  type ChangeKind,
  type ChangeNumbers,
} from '#contract/metrics/changes.ts';

/** A workflow or job in both periods. */
export interface Compared {
  repository: string;
  workflow: string;
  job: string | null;
  before: PeriodNumbers;
  after: PeriodNumbers;
}

export interface PeriodNumbers extends ChangeNumbers {
  /** Runs that succeeded or failed. */
  decided: number;
  /** Runs whose duration counts: neither cancelled nor skipped. */
  measured: number;
}

/** One change of one kind. The largest `effect` is listed first. */
export interface Found extends Compared {
  kind: ChangeKind;
  measure: Change['measure'];
  effect: number;
}

type Rule = (before: PeriodNumbers, after: PeriodNumbers) => Pick<Found, 'measure' | 'effect'> | undefined;

const rules = {
  slower: (before, after) => {
    const measured = Math.min(before.measured, after.measured);
    const p50 = rise(before.durationP50Ms, after.durationP50Ms, least.p50);
    const p95 = rise(before.durationP95Ms, after.durationP95Ms, least.p95);
    const found = [
      ...(measured >= minimumRuns && p50 !== undefined
        ? [{ measure: 'durationP50Ms' as const, effect: p50 }]
        : []),
      ...(measured >= minimumRunsP95 && p95 !== undefined
        ? [{ measure: 'durationP95Ms' as const, effect: p95 }]
        : []),
    ];
    return found.toSorted((a, b) => b.effect - a.effect)[0];
  },
  failing: (before, after) => shareRule(before, after, 'failed', least.failedShare),
  flakier: (before, after) => shareRule(before, after, 'recovered', least.recoveredShare),
  costlier: (before, after) => {
    const added = after.billableMinutes - before.billableMinutes;
    const isEnough = Math.min(before.runs, after.runs) >= minimumRuns;
    if (!isEnough || added < least.minutes || added < before.billableMinutes * least.minutesShare)
      return undefined;
    return { measure: 'billableMinutes', effect: added };
  },
} satisfies Record<ChangeKind, Rule>;

/** By which share a duration rose; undefined when it did not rise by enough. */
function rise(before: number | null, after: number | null, share: number): number | undefined {
  if (before === null || after === null || after - before < least.durationMs) return undefined;
  const risen = (after - before) / Math.max(before, 1);
  return risen >= share ? risen : undefined;
}

function shareRule(
  before: PeriodNumbers,
  after: PeriodNumbers,
  name: 'failed' | 'recovered',
  share: number,
): Pick<Found, 'measure' | 'effect'> | undefined {
  const measure = `${name}Share` as const;
  if (Math.min(before.decided, after.decided) < minimumRuns || after[name] < least.runs) return undefined;
  const effect = (after[measure] ?? 0) - (before[measure] ?? 0);
  return effect >= share ? { measure, effect } : undefined;
}

/** All changes by kind, the largest first. */
export function findChanges(items: readonly Compared[]): Record<ChangeKind, Found[]> {
  const found = Object.fromEntries(changeKinds.map((kind) => [kind, [] as Found[]])) as Record<
    ChangeKind,
    Found[]
  >;
  for (const item of items)
    for (const kind of changeKinds) {
      const change = rules[kind](item.before, item.after);
      if (change !== undefined) found[kind].push({ ...item, kind, ...change });
    }
  for (const kind of changeKinds) found[kind].sort((a, b) => b.effect - a.effect);
  return found;
}

/** Whether any comparison is possible. */
export function isComparable({ before, after }: Compared): boolean {
  return Math.min(before.runs, after.runs) >= minimumRuns;
}
