import type { Fact, RunFact } from '../world/facts.ts';
import { branchName } from '../model/branch-name.ts';
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
  /** Earlier names of branches of forks that were renamed, with a run as it is named in the end. */
  branchesBefore: readonly (readonly [string, RunFact])[];
}

const title =
  /^(?<workflow>.+) in (?<repository>\S+(?: \(\d+\))?) on (?<branch>.+?) (?<says>is red|failed again|is green again after .+)$/;

/** Mails and chats name the same workflow, cause, person, time and count as everything else. */
export function compareMessages(
  messages: readonly Message[],
  notices: readonly Notice[],
  { received, now, hasRule, excuses, overtaken, branchesBefore }: Truth,
  names: Names,
  differences: Differences,
): void {
  const facts = received.map(({ fact }) => fact);
  const called = namesEver(facts, names);
  const read = messages.flatMap((message) => {
    const {
      workflow = '',
      repository = '',
      branch = '',
      says = '',
    } = title.exec(message.title)?.groups ?? {};
    const keys = called.get(shownName(repository, workflow)) ?? [];
    if (keys.length === 0) differences.add(`${message.by}: no workflow is called so: ${message.title}`);
    const branches = branchesBefore.flatMap(([before, run]) => (before === branch ? [branchName(run)] : []));
    const places = keys.flatMap((key) => [branch, ...branches].map((each) => `${key} ${each}`));
    return keys.length === 0 ? [] : [{ message, says, places: [...new Set(places)] }];
  });
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

/**
 * All names that a workflow may have been shown with, and the one that is shown for it, with its keys. Its repository and the workflow get
 * new names apart from each other. While another one has the name too, its id or its file stands beside it.
 */
function namesEver(facts: readonly Fact[], names: Names): Map<string, string[]> {
  const repositories = new Map<string, Set<string>>();
  const keyOf = ({ repository: { host, id } }: Fact): string => `${host} ${id}`;
  for (const fact of facts) {
    const { fullName, id } = fact.repository;
    const known = repositories.get(keyOf(fact)) ?? new Set();
    repositories.set(keyOf(fact), known.add(fullName).add(`${fullName} (${id})`));
  }
  const workflows = new Map<string, RunFact>();
  for (const fact of facts)
    if (fact.kind === 'run') workflows.set(`${workflowKey(fact)} ${fact.workflow.name}`, fact);
  const all = [...workflows.values()].flatMap((run) => {
    const { name, path } = run.workflow;
    return [...(repositories.get(keyOf(run)) ?? [])].flatMap((repository) =>
      [name, `${name} (${path.split('/').at(-1)})`].map(
        (workflow) => [shownName(repository, workflow), workflowKey(run)] as const,
      ),
    );
  });
  return new Map(
    [...Map.groupBy([...all, ...names], ([name]) => name)].map(([name, list]) => [
      name,
      [...new Set(list.map(([, key]) => key))],
    ]),
  );
}
