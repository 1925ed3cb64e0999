import type { ChangedPart, Moment } from '#contract/metrics/changes.ts';
import type { Tx } from '#platform/database/database.ts';
import { compareDurations, compareFailures, significantOnes, type Found } from './compare-periods.ts';
import { keyOf } from './compared-items.ts';
import { listJobSteps } from './steps/job-steps-store.ts';
import { measuredOf, pairSteps } from './steps/step-trends.ts';

/** A change that is listed, with the changes of its jobs. A job on the list is its own one. */
export interface Entry {
  change: Found;
  jobs: readonly Found[];
}

/**
 * The changes of jobs become part of the change of their workflow, if that changed in the same way. A job that fails more only in
 * runs that pass when they are run again belongs to the change of a flakier workflow. The order stays.
 */
export function entriesOf(found: readonly Found[]): Entry[] {
  const keyOfWorkflow = (change: Found) => change.kind + keyOf({ ...change, job: null });
  const workflows = new Set(found.filter(({ job }) => job === null).map(keyOfWorkflow));
  const jobsOf = Map.groupBy(
    found.filter(({ job }) => job !== null),
    keyOfWorkflow,
  );
  return found
    .filter(
      (change) =>
        change.job === null ||
        !(
          workflows.has(keyOfWorkflow(change)) ||
          (change.kind === 'failing' && workflows.has(keyOfWorkflow({ ...change, kind: 'flakier' })))
        ),
    )
    .map((change) => ({
      change,
      jobs: change.job === null ? (jobsOf.get(keyOfWorkflow(change)) ?? []) : [change],
    }));
}

const maxParts = 3;
/** Of a job that is known to have changed, a step needs fewer runs: all of them may be after a recent moment. */
const fewestRuns = 5;

/**
 * The steps of each entry that explain it, and its jobs without such steps. The steps are those of the newest runs before and after
 * the moment of the entry; without one, of both periods. One query for all.
 */
export async function readParts(
  tx: Tx,
  integrationId: string,
  entries: readonly Entry[],
  moments: readonly (Moment | null)[],
  { previousFrom, from, to }: { previousFrom: number; from: number; to: number },
  onDefaultBranch: boolean | undefined,
): Promise<ChangedPart[][]> {
  const searched = entries.flatMap(({ jobs }, entry) => {
    const since = moments[entry] ?? null;
    const periods = {
      before: [previousFrom, since === null ? from : Date.parse(since.at)],
      after: [since === null ? from : Date.parse(since.at), to],
    } as const;
    return jobs.flatMap((change) => (hasSteps(change) ? [{ entry, change, ...periods }] : []));
  });
  const wanted = searched.map(({ change: { repository, workflow, job }, before, after }) => ({
    repository,
    workflow,
    job,
    before,
    after,
  }));
  const pairs = pairSteps(await listJobSteps(tx, integrationId, wanted, onDefaultBranch));
  const compared = searched.flatMap(({ change, entry }, index) =>
    (pairs.get(index) ?? []).flatMap((step) => {
      if (step.before === undefined) return [];
      const sides = { before: measuredOf(step.before), after: measuredOf(step.after) };
      const compare = change.kind === 'slower' ? compareDurations : compareFailures;
      const outcome = compare(sides, fewestRuns);
      return outcome === undefined ? [] : [{ item: { step, sides, entry }, kind: change.kind, ...outcome }];
    }),
  );
  const found = significantOnes(compared).map(({ item }) => item);
  return entries.map(({ change: { kind, job: own }, jobs }, entry) => {
    const steps = found
      .filter((item) => item.entry === entry)
      .map(({ step: { job, step }, sides }) => ({
        job,
        step,
        before:
          kind === 'slower' ? (sides.before.durationP50Ms ?? 0) : sides.before.failed / sides.before.decided,
        after:
          kind === 'slower' ? (sides.after.durationP50Ms ?? 0) : sides.after.failed / sides.after.decided,
      }));
    const others = jobs
      .filter(({ job }) => job !== own && steps.every((step) => step.job !== job))
      .map(partOfJob);
    return [...steps, ...others]
      .toSorted((a, b) => b.after - b.before - (a.after - a.before))
      .slice(0, maxParts);
  });
}

function hasSteps({ kind }: Found): boolean {
  return kind === 'slower' || kind === 'failing';
}

function partOfJob({ kind, job, before, after }: Found): ChangedPart {
  const measure = measures[kind];
  return { job: job ?? '', step: null, before: before[measure] ?? 0, after: after[measure] ?? 0 };
}

const measures = {
  failing: 'failedShare',
  flakier: 'recoveredShare',
  slower: 'durationP50Ms',
  costlier: 'billableMinutes',
} as const;
