import type { RunFact } from '../world/facts.ts';
import { branchName } from './branch-name.ts';
import { incidentsOf, type Arrivals } from './incidents.ts';
import { rowsOf, type Received } from './rows.ts';
import { blamesOn, red, workflowKey, type Blame } from './states.ts';

/**
 * What was true about a workflow on a branch at some moment while its events arrived. A message is written at one of these moments, and
 * which one it is depends on how fast the product is.
 */
export interface Moments {
  /** `since FAILURE, 2 failed jobs, 1 failed run`. */
  counts: ReadonlySet<string>;
  blames: readonly Blame[];
  /** Runs and jobs that were red. */
  jobs: ReadonlySet<string>;
  conclusions: ReadonlySet<string>;
  actors: ReadonlySet<string>;
}

export const countsText = (since: string, failures: string): string => `since ${since}, ${failures}`;

/** By the key of the workflow and the branch. */
export function momentsOf(
  received: readonly Received[],
  arrivals: Omit<Arrivals, 'doJobsWait'>,
  places: ReadonlySet<string>,
): Map<string, Moments> {
  const counts = new Map([...places].map((place) => [place, new Set<string>()]));
  const blames = new Map([...places].map((place) => [place, [] as Blame[]]));
  for (let end = 1; end <= received.length; end += 1) {
    const facts = arrivals.facts.slice(0, end);
    for (const doJobsWait of [true, false])
      for (const { workflow, branch, openedAt, failedJobs, failedRuns } of incidentsOf({
        ...arrivals,
        facts,
        doJobsWait,
      }))
        counts
          .get(`${workflow} ${branch}`)
          ?.add(countsText(new Date(openedAt).toISOString(), failuresText(failedJobs, failedRuns)));
    if (received[end - 1]?.fact.kind === 'pull') continue;
    const rows = rowsOf(received.slice(0, end));
    for (const [place, known] of blames) {
      for (const blame of blamesOn(rows, (run) => placeOf(run) === place))
        if (!known.some((each) => JSON.stringify(each) === JSON.stringify(blame))) known.push(blame);
    }
  }
  const runs = new Map(received.flatMap(({ fact }) => (fact.kind === 'run' ? [[fact.runId, fact]] : [])));
  return new Map(
    [...places].map((place) => {
      const own = received.flatMap(({ fact }) => {
        const run = fact.kind === 'pull' ? undefined : runs.get(fact.runId);
        return run !== undefined && placeOf(run) === place && fact.kind !== 'pull' ? [fact] : [];
      });
      const failures = own.filter(({ conclusion }) => red.includes(conclusion ?? ''));
      return [
        place,
        {
          counts: counts.get(place) ?? new Set(),
          blames: blames.get(place) ?? [],
          jobs: new Set(failures.flatMap((fact) => (fact.kind === 'job' ? [fact.name] : []))),
          conclusions: new Set(failures.map(({ conclusion }) => conclusion ?? '')),
          actors: new Set(own.flatMap((fact) => (fact.kind === 'run' ? [fact.actor] : []))),
        },
      ];
    }),
  );
}

const placeOf = (run: RunFact): string => `${workflowKey(run)} ${branchName(run)}`;

function failuresText(jobs: number, runs: number): string {
  const text = (count: number, noun: string): string[] =>
    count === 0 ? [] : [`${count} failed ${noun}${count === 1 ? '' : 's'}`];
  return [...text(jobs, 'job'), ...text(runs, 'run')].join(', ');
}
