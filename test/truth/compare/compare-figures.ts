import type { MetricGroup, MetricNumbers } from '#contract/metrics/metrics.ts';
import type { Figures, Numbers, UnfinishedRuns } from '../model/figures.ts';
import type { Shown } from '../product/shown.ts';
import type { Differences } from './differences.ts';
import { shownName, type Names } from './names.ts';

/** Percentiles are exact within 2 %. */
const tolerance = 0.021;

export function compareFigures(
  { total, workflows, jobs, running, waiting }: Figures & UnfinishedRuns,
  names: Names,
  { metrics, byWorkflow, byJob, overview }: Shown,
  differences: Differences,
): void {
  compareNumbers('metrics', metrics.total, total, differences);
  const keyOf = ({ repository, workflow }: MetricGroup): string =>
    names.get(shownName(repository ?? '', workflow)) ?? `unknown ${repository} ${workflow}`;
  compareGroups('metrics by workflow', byWorkflow.groups, keyOf, workflows, differences);
  compareGroups(
    'metrics by job',
    byJob.groups,
    (group) => `${keyOf(group)} / ${group.job}`,
    jobs,
    differences,
  );
  const { succeeded, failed, runs } = total;
  differences.same('overview: runs', overview.runs.value, runs);
  differences.same(
    'overview: success rate',
    overview.successRate.value,
    succeeded + failed === 0 ? null : succeeded / (succeeded + failed),
  );
  differences.same(
    'overview: failing workflows',
    overview.failingWorkflows.value,
    [...workflows.values()].filter((numbers) => numbers.failed > 0).length,
  );
  differences.same('overview: running now', overview.runningNow, { running, waiting });
}

function compareGroups(
  what: string,
  groups: readonly MetricGroup[],
  keyOf: (group: MetricGroup) => string,
  expected: ReadonlyMap<string, Numbers>,
  differences: Differences,
): void {
  differences.sameSet(what, groups.map(keyOf), [...expected.keys()]);
  for (const group of groups) {
    const numbers = expected.get(keyOf(group));
    if (numbers !== undefined) compareNumbers(`${what}: ${keyOf(group)}`, group, numbers, differences);
  }
}

function compareNumbers(
  what: string,
  shown: MetricNumbers,
  { durations, ...numbers }: Numbers,
  differences: Differences,
): void {
  differences.sameFields(what, shown, numbers);
  for (const [name, value, share] of [
    ['median', shown.durationP50Ms, 0.5],
    ['95th percentile', shown.durationP95Ms, 0.95],
  ] as const) {
    if (durations.length === 0) {
      differences.same(`${what}: ${name}`, value, null);
      continue;
    }
    // There are several definitions; all are between the two values around the position.
    const position = share * (durations.length - 1);
    const least = (durations[Math.max(0, Math.floor(position) - 1)] ?? 0) * (1 - tolerance);
    const most = (durations[Math.min(durations.length - 1, Math.ceil(position) + 1)] ?? 0) * (1 + tolerance);
    if (value === null || value < least || value > most)
      differences.add(`${what}: ${name} is ${value}, and must be from ${least} to ${most}`);
  }
}
