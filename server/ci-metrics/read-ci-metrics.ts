import type { Tx } from '#platform/database/database.ts';
import { countActiveJobs, countActiveRuns } from './active-store.ts';
import { readUnreliable } from '#server/test-results/reading/read-tests.ts';
import { readShownNames } from '#server/runs/names/shown-names.ts';
import { bucketCount } from './buckets.ts';
import { listCounters, type StoredCounter } from './counter-store.ts';
import { mostSeries, runnerOf } from './counters.ts';
import {
  activeStateOf,
  activeStates,
  attributeNames as names,
  ciMetrics,
  repositoryAttributes,
  type MetricInfo,
} from './semantic-names.ts';

export type Attributes = Readonly<Record<string, string>>;

/** Counts by bucket of `bucketBounds`, not cumulative. */
export interface HistogramValue {
  buckets: readonly number[];
  sumSeconds: number;
}

export interface MetricFamily {
  info: MetricInfo;
  points: { attributes: Attributes; value: number | HistogramValue }[];
}

const testStates = ['broken', 'flaky'] as const;

/** The metrics of an integration, for any format. Each family has at most one point with the same attributes. */
export async function readCiMetrics(tx: Tx, integrationId: string): Promise<MetricFamily[]> {
  const [shown, storedCounters, storedRuns, activeJobs, tests] = await Promise.all([
    readShownNames(tx, [integrationId]),
    listCounters(tx, integrationId),
    countActiveRuns(tx, integrationId),
    countActiveJobs(tx, integrationId),
    readUnreliable(tx, integrationId),
  ]);
  const counters = shown.show(integrationId, storedCounters);
  const activeRuns = shown.show(integrationId, storedRuns);
  const runs = counters.filter(({ kind }) => kind === 'run');
  const queues = counters.filter(({ kind }) => kind === 'queue');
  const measured = runs.filter(({ buckets }) => buckets.some((count) => count > 0));
  const state = { [names.pipelineRunState]: 'executing' };
  return [
    {
      info: ciMetrics.runs,
      points: runs.map((row) => ({ attributes: attributesOf(row), value: row.count })),
    },
    {
      info: ciMetrics.runDuration,
      points: measured.map((row) => ({
        attributes: { ...attributesOf(row), ...state },
        value: histogramOf(row),
      })),
    },
    {
      info: ciMetrics.activeRuns,
      points: gauges(
        namesOf(runs, mostSeries.run),
        activeRuns.map((row) => ({ ...row, attributes: attributesOfRuns(row) })),
        names.pipelineRunState,
        overflowOfRuns,
      ),
    },
    {
      info: ciMetrics.queueDuration,
      points: queues.map((row) => ({ attributes: attributesOf(row), value: histogramOf(row) })),
    },
    {
      info: ciMetrics.activeJobs,
      points: gauges(
        namesOf(queues, mostSeries.queue),
        activeJobs.map((row) => ({ ...row, attributes: attributesOfJobs(runnerOf(row.labels)) })),
        names.taskState,
        overflowOfJobs,
      ),
    },
    {
      info: ciMetrics.tests,
      points: testStates.flatMap((each) =>
        tests === undefined ? [] : [{ attributes: { [names.testState]: each }, value: tests.get(each) ?? 0 }],
      ),
    },
  ];
}

const other = 'other';
const overflow = { [names.overflow]: 'true' };
const overflowOfRuns: Attributes = {
  ...repositoryAttributes(other),
  [names.pipelineName]: other,
  ...overflow,
};
const overflowOfJobs: Attributes = { [names.workerLabels]: other, ...overflow };

function attributesOfRuns({ repository, workflow }: { repository: string; workflow: string }): Attributes {
  return { ...repositoryAttributes(repository), [names.pipelineName]: workflow };
}

function attributesOfJobs(labels: string): Attributes {
  return { [names.workerLabels]: labels };
}

/** Without the result: what names a series. */
function nameOf({ kind, repository, workflow, runner }: StoredCounter): Attributes {
  if (kind === 'queue') return runner === null ? overflowOfJobs : attributesOfJobs(runner);
  return repository === null ? overflowOfRuns : attributesOfRuns({ repository, workflow: workflow ?? '' });
}

function attributesOf(row: StoredCounter): Attributes {
  return row.result === '' ? nameOf(row) : { ...nameOf(row), [names.pipelineResult]: row.result };
}

function histogramOf({ buckets, sumMs }: StoredCounter): HistogramValue {
  const padded = Array.from({ length: bucketCount }, (_, index) => buckets[index] ?? 0);
  return { buckets: padded, sumSeconds: sumMs / 1000 };
}

/** The named series of counters, by key. */
function namesOf(
  counters: readonly StoredCounter[],
  limit: number,
): { known: Map<string, Attributes>; limit: number } {
  const known = new Map(counters.map((row) => [keyOf(nameOf(row)), nameOf(row)]));
  return { known, limit };
}

/** A series of zero or more for each known name and state, so that lines of a chart end at zero. */
function gauges(
  { known, limit }: { known: Map<string, Attributes>; limit: number },
  active: readonly { attributes: Attributes; status: string; count: number }[],
  stateName: string,
  overflowName: Attributes,
): MetricFamily['points'] {
  const all = new Map(known);
  const sums = new Map<string, number>();
  for (const { attributes, status, count } of active) {
    const isNamed = all.has(keyOf(attributes)) || all.size < limit;
    const name = isNamed ? attributes : overflowName;
    all.set(keyOf(name), name);
    const key = `${activeStateOf(status)} ${keyOf(name)}`;
    sums.set(key, (sums.get(key) ?? 0) + count);
  }
  return [...all].flatMap(([key, name]) =>
    activeStates.map((state) => ({
      attributes: { ...name, [stateName]: state },
      value: sums.get(`${state} ${key}`) ?? 0,
    })),
  );
}

const keyOf = (attributes: Attributes): string => JSON.stringify(attributes);
