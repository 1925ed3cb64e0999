import type { Fact, JobFact } from '../world/facts.ts';
import type { World } from '../world/make-world.ts';
import { figuresOf, unfinishedRuns } from '../model/figures.ts';
import { branchName } from '../model/branch-name.ts';
import { endedBranches, excusedLate, incidentsOf, overtakenBranches } from '../model/incidents.ts';
import { excusesOf, repositoriesOf, statesOf, workflowKey } from '../model/states.ts';
import { failed, forkBranches, rowsOf, rowsSince, withNewestForks, withUnknownForks } from '../model/rows.ts';
import type { Live } from '../product/live.ts';
import type { Message } from '../product/messages.ts';
import type { Notice } from '../product/notices.ts';
import type { Shown } from '../product/shown.ts';
import { compareFigures } from './compare-figures.ts';
import { compareFormats } from './compare-formats.ts';
import { withoutHidden } from './compare-hidden.ts';
import { compareIncidents, compareRedBranches } from './compare-incidents.ts';
import { compareLive } from './compare-live.ts';
import { compareMessages } from './compare-messages.ts';
import { compareNotifications } from './compare-notifications.ts';
import { compareFailedRuns, compareRows } from './compare-rows.ts';
import { compareStates } from './compare-states.ts';
import { Differences } from './differences.ts';
import { namesOf, type Names } from './names.ts';

interface Times {
  from: number;
  now: number;
  /** What is older is answered and stored nowhere. */
  retainedFrom: number;
  /** Runs that are older were stored, and retention has removed them since. Their numbers stay. */
  keptFrom: number;
}

/**
 * What the product shows otherwise than the model, each difference in a line. Figures are those of the time from `from` on. `known` keeps
 * the names of workflows, also of those without a run that is left.
 */
export function compareWorld(
  { posts, hasRule, hidden }: Pick<World, 'posts' | 'hasRule' | 'hidden'>,
  {
    shown,
    live,
    notices,
    messages,
  }: { shown: Shown; live: Live; notices: readonly Notice[]; messages: readonly Message[] },
  { from, now, retainedFrom, keptFrom }: Times,
  known: Names,
): string[] {
  const differences = new Differences();
  // A delivery that comes twice says nothing new.
  const told = withUnknownForks(
    [...new Map(posts.map((post) => [post.deliveryId, post])).values()].filter(
      ({ fact }) => fact.kind === 'pull' || (fact.createdAt ?? now) >= retainedFrom,
    ),
  );
  const arrivals = withNewestForks(told);
  const rows = rowsOf(arrivals);
  const kept = rowsSince(rows, keptFrom);
  compareRows(kept, shown, differences);
  compareFailedRuns(rows, shown, differences);
  const names = namesOf(rows, arrivals, shown, differences);
  for (const [name, key] of known) if (![...names.values()].includes(key)) names.set(name, key);
  for (const [name, key] of names) known.set(name, key);
  const repositories = repositoriesOf(arrivals);
  const hiddenKeys = new Set(hidden.map(workflowKey));
  const states = statesOf(kept, repositories, now).filter(({ key }) => !hiddenKeys.has(key));
  compareStates(states, names, shown, differences);
  const figures = { ...figuresOf(rows, from), ...unfinishedRuns(kept, now) };
  compareFigures(figures, names, shown, differences);
  compareFormats(rows, figures, shown, differences);
  // What is known in the end about how a run ended holds from the beginning.
  const isExcused = ({ runId, attempt, conclusion }: JobFact): boolean => {
    const run = rows.runs.get(runId);
    return run?.isSuperseded === true && run.newest.attempt === attempt && failed.includes(conclusion ?? '');
  };
  const facts = arrivals.map(({ fact }): Fact => {
    if (fact.kind === 'run' && fact.status === 'completed')
      return rows.runs.get(fact.runId)?.attempts.get(fact.attempt) ?? fact;
    return fact.kind === 'job' && isExcused(fact) ? { ...fact, conclusion: 'cancelled' } : fact;
  });
  const expected = [true, false].map((doJobsWait) =>
    incidentsOf({ facts, now, doJobsWait, hasRule }).filter(({ workflow }) => !hiddenKeys.has(workflow)),
  );
  const late = excusedLate(
    arrivals.map(({ fact }) => fact),
    isExcused,
  );
  // Under an earlier name, what a fork failed and passed counted apart until its newest name was told.
  const branchesBefore = forkBranches(told, arrivals);
  const renamed = new Set(branchesBefore.map(([, run]) => `${workflowKey(run)} ${branchName(run)}`));
  const overtaken = overtakenBranches(facts).union(late).union(renamed);
  compareIncidents(
    { expected, ...endedBranches(facts, repositories), overtaken },
    names,
    withoutHidden(hiddenKeys, names, shown, differences),
    differences,
  );
  compareRedBranches(states, names, shown, differences);
  compareNotifications(notices, shown, { now, hasRule, hasRenamedForks: renamed.size > 0 }, differences);
  compareLive(live, shown, differences);
  // It looks at every moment, which takes long, and is repeated until nothing differs.
  if (differences.lines.length === 0)
    compareMessages(
      messages,
      notices,
      {
        received: arrivals.map(({ order }, index) => ({ order, fact: facts[index]! })),
        now,
        hasRule,
        excuses: excusesOf(rows.jobs),
        overtaken,
        branchesBefore,
      },
      names,
      differences,
    );
  return differences.lines;
}
