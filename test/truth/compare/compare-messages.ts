import type { RunFact } from '../world/facts.ts';
import { countsText, momentsOf, type Moments } from '../model/moments.ts';
import type { Received } from '../model/rows.ts';
import { workflowKey, type Blame } from '../model/states.ts';
import type { Notice } from '../product/notices.ts';
import type { Message } from '../product/messages.ts';
import { shownName, type Names } from './names.ts';
import type { Differences } from './differences.ts';

interface Truth {
  received: readonly Received[];
  now: number;
  hasRule: boolean;
  /** Why failures may be nobody's, by workflow. */
  excuses: ReadonlyMap<string, readonly string[]>;
  /** Where a success overtook failures, the counts depend on how long they waited. */
  overtaken: ReadonlySet<string>;
}

const title =
  /^(?<workflow>.+) in (?<repository>\S+(?: \(\d+\))?) on (?<branch>.+?) (?<says>is red|failed again|is green again after .+)$/;

/** Mails and chats name the same workflow, cause, person, time and count as everything else. */
export function compareMessages(
  messages: readonly Message[],
  notices: readonly Notice[],
  { received, now, hasRule, excuses, overtaken }: Truth,
  names: Names,
  differences: Differences,
): void {
  const runs = received.flatMap(({ fact }) => (fact.kind === 'run' ? [fact] : []));
  const called = namesEver(runs, names);
  const read = messages.flatMap((message) => {
    const {
      workflow = '',
      repository = '',
      branch = '',
      says = '',
    } = title.exec(message.title)?.groups ?? {};
    const keys = called.get(shownName(repository, workflow)) ?? [];
    if (keys.length === 0) differences.add(`${message.by}: no workflow is called so: ${message.title}`);
    return keys.length === 0 ? [] : [{ message, says, places: keys.map((key) => `${key} ${branch}`) }];
  });
  const facts = received.map(({ fact }) => fact);
  const moments = momentsOf(received, { facts, now, hasRule }, new Set(read.flatMap(({ places }) => places)));
  for (const { message, says, places } of read) {
    // After a transfer, a name may have been that of two workflows.
    const faults = places.map((place) =>
      faultsOf(message, says, moments.get(place)!, {
        isOvertaken: overtaken.has(place),
        excuses: [...excuses].flatMap(([key, own]) => (place.startsWith(`${key} `) ? own : [])),
      }),
    );
    if (faults.every(({ length }) => length > 0))
      for (const fault of faults[0] ?? []) differences.add(`${message.by}: ${message.title}: ${fault}`);
  }
  // Where a pull request ends in between, one channel is told and another is not.
  for (const by of ['mail', 'chat'] as const)
    if (notices.length > 0 && !messages.some((each) => each.by === by)) differences.add(`no ${by} was sent`);
}

function faultsOf(
  { facts }: Message,
  says: string,
  { counts, blames, jobs, conclusions, actors }: Moments,
  { isOvertaken, excuses }: { isOvertaken: boolean; excuses: readonly string[] },
): string[] {
  const faults: string[] = [];
  const must = (name: string, isTrue: (value: string) => boolean): void => {
    const value = facts.get(name);
    if (value !== undefined && !isTrue(value)) faults.push(`${name}: ${value}`);
  };
  const said = countsText(facts.get('Red since') ?? '', facts.get('Failures in all') ?? '');
  if (!isOvertaken && !counts.has(said)) faults.push(`${said}, and must be one of ${[...counts].join('; ')}`);
  must('Job', (value) => jobs.has(value));
  must('Step', (value) => value === 'Run tests');
  must('Started by', (value) => actors.has(value));
  must(
    'Failure',
    (value) => says.startsWith('is green') || [...conclusions].some((each) => value.includes(`: ${each}`)),
  );
  const named = blames.map(blameText);
  must('First bad commit', (value) => {
    const excuse = /^None \((flaky|infrastructure)\)$/.exec(value)?.[1];
    return excuse === undefined ? named.includes(value) : excuses.includes(excuse);
  });
  return faults;
}

function blameText({ named, candidates, noBlame }: Blame): string {
  if (named !== null) return named.sha.slice(0, 7) + (named.actor === null ? '' : ` by ${named.actor}`);
  if (noBlame === 'same_commit') return 'None (the same one passed before)';
  if (noBlame === 'merge_group') return 'Not known (the merge queue tests several pull requests together)';
  if (noBlame === 'no_success_before') return 'Not known (no success before it)';
  const shown = candidates.slice(0, 5).map(({ sha }) => sha.slice(0, 7));
  return `One of ${candidates.length} commits: ${shown.join(', ')}${candidates.length > 5 ? ', …' : ''}`;
}

/** All names that a workflow had, and the one that is shown for it, with its keys. */
function namesEver(runs: readonly RunFact[], names: Names): Map<string, string[]> {
  const all = [
    ...runs.map((run) => [shownName(run.repository.fullName, run.workflow.name), workflowKey(run)] as const),
    // A second one of a name has its file or its id beside it.
    ...runs.flatMap((run) => {
      const { repository, workflow } = run;
      const called = `${workflow.name} (${workflow.path.split('/').at(-1)})`;
      return [
        [shownName(repository.fullName, called), workflowKey(run)] as const,
        [shownName(`${repository.fullName} (${repository.id})`, workflow.name), workflowKey(run)] as const,
      ];
    }),
    ...names,
  ];
  return new Map(
    [...Map.groupBy(all, ([name]) => name)].map(([name, list]) => [
      name,
      [...new Set(list.map(([, key]) => key))],
    ]),
  );
}
