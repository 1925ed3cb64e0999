import type { RollupKind } from '#server/rollups/rollups.ts';

/** What cells can be grouped by. */
export type Dimension = 'at' | 'repository' | 'workflow' | 'job' | 'runner' | 'branch';
export type HistogramName = 'durations' | 'queueTimes';

/** The cells of a bucket: what they tell apart, and which percentiles can be asked of them. */
export interface BucketKind {
  name: string;
  kind: 'run' | 'job' | 'runner';
  by: readonly Dimension[];
  histograms: readonly HistogramName[];
}

const both = ['durations', 'queueTimes'] as const;

/** Coarsest first: of those that tell enough, the first has fewest cells. */
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

/** The coarsest cells of buckets that tell apart what is needed. */
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
    throw new Error(`no cells of ${kind} by ${needed.join(', ')} with ${histograms.join(', ')}`);
  return found;
}

/** The same of an hour's cells, which always have their histograms. */
export function rollupKindFor(kind: BucketKind['kind'], needed: readonly Dimension[]): RollupKind {
  return kind === 'runner' || needed.length > 0 ? kind : `${kind}_any`;
}
