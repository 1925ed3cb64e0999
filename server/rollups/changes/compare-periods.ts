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

/** The numbers of a run, a job or one of its steps that the first two rules compare. */
export type Measured = Pick<
  PeriodNumbers,
  'decided' | 'measured' | 'failed' | 'failedShare' | 'durationP50Ms' | 'durationP95Ms'
>;

interface Effect<Measure extends Change['measure']> {
  measure: Measure;
  effect: number;
}

/** Whether a duration rose. */
export function slowerRule(
  before: Measured,
  after: Measured,
): Effect<'durationP50Ms' | 'durationP95Ms'> | undefined {
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
}

/** Whether the share of failures rose. */
export function failingRule(before: Measured, after: Measured): Effect<'failedShare'> | undefined {
  const effect = risenShare(
    { ...before, hits: before.failed, share: before.failedShare },
    { ...after, hits: after.failed, share: after.failedShare },
    least.failedShare,
  );
  return effect === undefined ? undefined : { measure: 'failedShare', effect };
}

type Rule = (before: PeriodNumbers, after: PeriodNumbers) => Effect<Change['measure']> | undefined;

const rules = {
  slower: slowerRule,
  failing: failingRule,
  flakier: (before, after) => {
    const effect = risenShare(
      { ...before, hits: before.recovered, share: before.recoveredShare },
      { ...after, hits: after.recovered, share: after.recoveredShare },
      least.recoveredShare,
    );
    return effect === undefined ? undefined : { measure: 'recoveredShare', effect };
  },
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

interface Share {
  decided: number;
  hits: number;
  share: number | null;
}

/** By how much a share of runs rose; undefined when it did not rise by enough. */
function risenShare(before: Share, after: Share, minimum: number): number | undefined {
  if (Math.min(before.decided, after.decided) < minimumRuns || after.hits < least.runs) return undefined;
  const effect = (after.share ?? 0) - (before.share ?? 0);
  return effect >= minimum ? effect : undefined;
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
