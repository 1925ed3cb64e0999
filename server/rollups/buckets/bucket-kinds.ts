import type { RollupKind } from '#server/rollups/rollups.ts';

/** The dimensions that numbers can be grouped by. */
export type Dimension = 'at' | 'repository' | 'workflow' | 'job' | 'runner' | 'branch';
export type HistogramName = 'durations' | 'queueTimes';

/** One set of rows in a bucket: the dimensions that the rows keep apart, and the histograms that they have. */
export interface BucketKind {
  name: string;
  kind: 'run' | 'job' | 'runner';
  by: readonly Dimension[];
  histograms: readonly HistogramName[];
}

const both = ['durations', 'queueTimes'] as const;

/** Coarsest first: the first kind that has the needed dimensions has the fewest rows. */
export const bucketKinds: readonly BucketKind[] = [
  { name: 'run_any', kind: 'run', by: [], histograms: ['durations'] },
  { name: 'run_branch', kind: 'run', by: ['branch'], histograms: ['durations'] },
  { name: 'run_workflow', kind: 'run', by: ['repository', 'workflow'], histograms: ['durations'] },
  { name: 'run', kind: 'run', by: ['repository', 'workflow', 'branch'], histograms: ['durations'] },
  { name: 'job_any', kind: 'job', by: [], histograms: both },
  { name: 'job_branch', kind: 'job', by: ['branch'], histograms: both },
  { name: 'job_runner', kind: 'job', by: ['runner'], histograms: both },
  { name: 'job_workflow', kind: 'job', by: ['repository', 'workflow'], histograms: both },
  { name: 'job_class', kind: 'job', by: ['repository', 'workflow', 'runner', 'branch'], histograms: both },
  { name: 'job_name', kind: 'job', by: ['repository', 'workflow', 'job'], histograms: [] },
  { name: 'job', kind: 'job', by: ['repository', 'workflow', 'job', 'runner', 'branch'], histograms: [] },
  { name: 'runner', kind: 'runner', by: ['runner'], histograms: [] },
];

/** The coarsest kind that has the needed dimensions and histograms. */
export function bucketKindFor(
  kind: BucketKind['kind'],
  needed: readonly Dimension[],
  histograms: readonly HistogramName[],
): BucketKind {
  const found = bucketKinds.find(
    (each) =>
      each.kind === kind &&
      needed.every((name) => each.by.includes(name)) &&
      histograms.every((name) => each.histograms.includes(name)),
  );
  if (found === undefined)
    throw new Error(`no bucket kind of ${kind} by ${needed.join(', ')} with ${histograms.join(', ')}`);
  return found;
}

/** The kind of hourly rows to read instead. These rows always have their histograms. */
export function rollupKindFor(kind: BucketKind['kind'], needed: readonly Dimension[]): RollupKind {
  return kind === 'runner' || needed.length > 0 ? kind : `${kind}_any`;
}
