import type { MonitoringEvent } from '../parsing/parse-event.ts';
import { maxLengths } from '../parsing/payload-fields.ts';
import { runKey, type RunOfJobs, type RunRow } from '#server/runs/objects/run.ts';
import type { JobRow } from '#server/runs/objects/job.ts';
import type { PullRequestRow } from '#server/runs/objects/pull-request.ts';
import type { ForkName, HostPlace, Names, RepositoryName, WorkflowName } from './names.ts';
import { findRepository, placeOfHost } from './place-ids.ts';
import type { EventSource } from './event-source.ts';

export interface Renaming {
  integrationId: string;
  /** The name for display. Set for a workflow. */
  repository: string | null;
  from: string;
  to: string;
}

/** Another branch became the default branch. */
export interface MovedDefaultBranch {
  integrationId: string;
  repository: string;
  /** The name for display. */
  shownRepository: string;
  from: string;
  to: string;
}

export interface ResolvedNames {
  /** The events with the names that stand for their repository and workflow. */
  events: MonitoringEvent[];
  /** To insert or update. */
  repositories: RepositoryName[];
  workflows: WorkflowName[];
  renamed: Renaming[];
  movedBranches: MovedDefaultBranch[];
  /** Forks that have another name than what is stored of them. */
  renamedForks: ForkName[];
}

/**
 * Gives each event the names under which its repository and workflow are stored, by the ids of the forge. A renamed repository or
 * workflow keeps its stored name, and two workflows with one name get different ones. Pure.
 */
export function resolveNames(
  known: Names,
  events: readonly MonitoringEvent[],
  runsOfJobs: ReadonlyMap<string, RunOfJobs> = new Map(),
): ResolvedNames {
  const registries = registriesOf(known, events, runsOfJobs);
  const resolve = (event: MonitoringEvent) => registries.get(event.integrationId)!.resolve(event);
  // Runs first: jobs have no id of their workflow.
  const resolved = new Map<MonitoringEvent, MonitoringEvent>();
  for (const event of events) registries.get(event.integrationId)!.nameFork(event);
  for (const event of events) if (event.type === 'workflow_run') resolved.set(event, resolve(event));
  for (const event of events) if (event.type !== 'workflow_run') resolved.set(event, resolve(event));
  const changes = [...registries.values()].map((registry) => registry.changes());
  return {
    events: events.map((event) => resolved.get(event)!),
    repositories: changes.flatMap(({ repositories }) => repositories),
    workflows: changes.flatMap(({ workflows }) => workflows),
    renamed: changes.flatMap(({ renamed }) => renamed),
    movedBranches: changes.flatMap(({ movedBranches }) => movedBranches),
    renamedForks: changes.flatMap(({ renamedForks }) => renamedForks),
  };
}

/**
 * How much older the stored time of a name may be than the newest event with that name: a write for each event would cost too much. A late
 * event changes nothing unless a name or default branch came and went within this time.
 */
const keptMs = 60_000;

function registriesOf(
  { repositories, workflows, hosts, forks }: Names,
  events: readonly MonitoringEvent[],
  runsOfJobs: ReadonlyMap<string, RunOfJobs>,
): Map<string, Registry> {
  const ofRuns = new Map([...runsOfJobs].map(([key, { workflowName }]) => [key, workflowName]));
  const repositoriesOf = Map.groupBy(repositories, ({ integrationId }) => integrationId);
  const workflowsOf = Map.groupBy(workflows, ({ integrationId }) => integrationId);
  const forksOf = Map.groupBy(forks, ({ integrationId }) => integrationId);
  const registryOf = (integrationId: string): Registry => {
    const own = {
      repositories: repositoriesOf.get(integrationId) ?? [],
      workflows: workflowsOf.get(integrationId) ?? [],
      hosts,
      forks: forksOf.get(integrationId) ?? [],
    };
    return new Registry(integrationId, own, ofRuns);
  };
  const integrationIds = new Set(events.map(({ integrationId }) => integrationId));
  return new Map([...integrationIds].map((integrationId) => [integrationId, registryOf(integrationId)]));
}

/** The names of one integration. */
class Registry {
  readonly #integrationId: string;
  readonly #repositories: RepositoryName[];
  readonly #hosts: readonly HostPlace[];
  readonly #forks: Map<number, ForkName>;
  readonly #renamedForks: Set<ForkName> = new Set();
  readonly #workflows: WorkflowName[];
  readonly #changedRepositories = new Set<RepositoryName>();
  readonly #changedWorkflows = new Set<WorkflowName>();
  readonly #renamed: Renaming[] = [];
  readonly #movedBranches: MovedDefaultBranch[] = [];

  /** Workflows of runs by `runKey`. */
  readonly #ofRuns: Map<string, string | null>;

  constructor(
    integrationId: string,
    { repositories, workflows, hosts, forks }: Names,
    ofRuns: Map<string, string | null>,
  ) {
    this.#integrationId = integrationId;
    this.#ofRuns = ofRuns;
    this.#hosts = hosts;
    this.#forks = new Map(forks.map((each) => [each.forkId, { ...each }]));
    this.#repositories = repositories.map((each) => ({ ...each }));
    this.#workflows = workflows.map((each) => ({ ...each }));
  }

  /** Forks of all events of a batch are named before one is resolved: an event may be older than the name of its fork. */
  nameFork({ type, integrationId, row, source }: MonitoringEvent): void {
    if (type !== 'workflow_run' && type !== 'pull_request') return;
    const { forkId, headRepository: fullName } = row;
    if (forkId === null || fullName === null || source === undefined) return;
    const known = this.#forks.get(forkId);
    if (known === undefined)
      return void this.#forks.set(forkId, { integrationId, forkId, fullName, namedAt: source.at });
    if (source.at < known.namedAt) return;
    if (known.fullName !== fullName) this.#renamedForks.add(known);
    Object.assign(known, { fullName, namedAt: source.at });
  }

  #headOf(
    { headRepository, forkId, repository: fullName }: RunRow | PullRequestRow,
    { isOwnHead }: EventSource,
    repository: string,
  ): string | null {
    const isOwn = isOwnHead ?? headRepository === fullName;
    if (isOwn && headRepository !== null) return repository;
    return (forkId === null ? undefined : this.#forks.get(forkId)?.fullName) ?? headRepository;
  }

  resolve(event: MonitoringEvent): MonitoringEvent {
    const { source, row } = event;
    if (source === undefined) return event;
    const { repository, shownName } = this.#repositoryOf(row.repository, source);
    if (event.type === 'workflow_run') {
      const of = { repository, shownRepository: shownName };
      const workflowName = this.#workflowOf(of, source) ?? event.row.workflowName;
      this.#ofRuns.set(runKey(event.row), workflowName);
      return {
        ...event,
        source: { ...source, shown: this.#shownOf(of, workflowName) },
        row: {
          ...event.row,
          repository,
          headRepository: this.#headOf(event.row, source, repository),
          workflowName,
        },
      };
    }
    if (event.type === 'workflow_job') {
      return {
        ...event,
        row: {
          ...event.row,
          repository,
          workflowName: this.#byName(event.row, repository),
        },
      };
    }
    if (event.type === 'pull_request') {
      const headRepository = this.#headOf(event.row, source, repository);
      return { ...event, row: { ...event.row, repository, headRepository } };
    }
    return { ...event, row: { ...event.row, repository } } as MonitoringEvent;
  }

  #shownOf(
    { repository, shownRepository }: Place,
    workflow: string | null,
  ): NonNullable<EventSource['shown']> {
    const found = this.#workflows.find(
      (each) => each.repository === repository && each.workflow === workflow,
    );
    return { repository: shownRepository, workflowName: found?.shownName ?? workflow };
  }

  changes(): Omit<ResolvedNames, 'events'> {
    return {
      repositories: [...this.#changedRepositories],
      workflows: [...this.#changedWorkflows],
      renamed: this.#renamed,
      movedBranches: this.#movedBranches,
      renamedForks: [...this.#renamedForks],
    };
  }

  #repositoryOf(fullName: string, source: EventSource): RepositoryName {
    const integrationId = this.#integrationId;
    const found = findRepository(this.#repositories, fullName, source);
    if (found === undefined) return this.#addRepository(fullName, source);
    const isNewer = source.at > found.namedAt;
    if (found.forgeId === null && source.repositoryId !== null)
      this.#update(found, { forgeId: source.repositoryId });
    if (found.host === null && source.host !== null) this.#update(found, { host: source.host });
    if (isNewer && found.fullName !== fullName) {
      this.#renamed.push({ integrationId, repository: null, from: found.fullName, to: fullName });
      const earlierNames = withEarlier(found.earlierNames, found.fullName);
      this.#update(found, { fullName, earlierNames, namedAt: source.at });
    }
    // The others with this name were read.
    if (found.fullName === fullName) this.#showRepository(found);
    const { repository, shownName: shownRepository, defaultBranch: from } = found;
    if (isNewer && source.defaultBranch !== null && source.defaultBranch !== from) {
      if (from !== null)
        this.#movedBranches.push({
          integrationId,
          repository,
          shownRepository,
          from,
          to: source.defaultBranch,
        });
      this.#update(found, { defaultBranch: source.defaultBranch, namedAt: source.at });
    }
    if (isNewer && source.at >= found.namedAt + keptMs) this.#update(found, { namedAt: source.at });
    return found;
  }

  #update(found: RepositoryName, change: Partial<RepositoryName>): void {
    Object.assign(found, change);
    this.#changedRepositories.add(found);
  }

  #addRepository(fullName: string, source: EventSource): RepositoryName {
    const integrationId = this.#integrationId;
    const isTaken = (name: string): boolean =>
      this.#repositories.some(({ repository }) => repository === name);
    const { repositoryId: forgeId, host } = source;
    const added: RepositoryName = {
      integrationId,
      repository: freeName(fullName, additionsOf({ forgeId, host }), isTaken),
      forgeId,
      host,
      place: placeOfHost(this.#hosts, integrationId, host),
      fullName,
      shownName: '',
      earlierNames: [],
      defaultBranch: source.defaultBranch,
      namedAt: source.at,
    };
    this.#repositories.push(added);
    this.#changedRepositories.add(added);
    this.#showRepository(added);
    return added;
  }

  /**
   * Two repositories are never shown under one name. A forge has one of a name at a time, so the one that got it first was deleted or has
   * a new name that nobody has told yet.
   */
  #showRepository(one: RepositoryName): void {
    const { fullName, shownName: freed } = one;
    const before = this.#others(one).find(
      (each) =>
        each.shownName === fullName &&
        each.host !== null &&
        each.host === one.host &&
        each.namedAt < one.namedAt,
    );
    const shownName = before === undefined ? this.#freeShownName(one) : fullName;
    if (before === undefined && shownName === freed) return;
    this.#update(one, { shownName });
    if (before !== undefined) this.#update(before, { shownName: this.#freeShownName(before) });
    // Another one of this name was shown with its id.
    for (const each of this.#others(one)) if (each.fullName === freed) this.#showRepository(each);
  }

  #freeShownName(one: RepositoryName): string {
    const isTaken = (name: string): boolean => this.#others(one).some((each) => each.shownName === name);
    return freeName(one.fullName, additionsOf(one), isTaken);
  }

  #others(one: RepositoryName): RepositoryName[] {
    return this.#repositories.filter((each) => each !== one);
  }

  /** Undefined when neither the event nor an earlier one names the workflow. */
  #workflowOf({ repository, shownRepository }: Place, source: EventSource): string | undefined {
    const integrationId = this.#integrationId;
    const { workflowRef: ref, workflowName: name, workflowPath: path, at } = source;
    const ofRepository = this.#workflows.filter((each) => each.repository === repository);
    if (ref === null)
      return name === null ? undefined : (ofRepository.find((each) => each.name === name)?.workflow ?? name);
    const found = ofRepository.find((each) => each.ref === ref);
    if (found !== undefined) {
      if (name !== null && name !== found.name && at > found.namedAt) {
        this.#renamed.push({ integrationId, repository: shownRepository, from: found.name, to: name });
        const earlierNames = withEarlier(found.earlierNames, found.name);
        Object.assign(found, { name, earlierNames, namedAt: at, path: path ?? found.path });
        this.#changedWorkflows.add(found);
      }
      if (found.name === name) this.#showWorkflow(found, ofRepository);
      if (found.name === name && at >= found.namedAt + keptMs) {
        found.namedAt = at;
        this.#changedWorkflows.add(found);
      }
      return found.workflow;
    }
    if (name === null) return undefined;
    const isTaken = (candidate: string): boolean => ofRepository.some((each) => each.workflow === candidate);
    const workflow = freeName(name, [fileOf({ path, ref }), ref], isTaken);
    const added: WorkflowName = {
      integrationId,
      repository,
      workflow,
      ref,
      name,
      path,
      shownName: '',
      earlierNames: [],
      namedAt: at,
    };
    this.#workflows.push(added);
    this.#changedWorkflows.add(added);
    this.#showWorkflow(added, ofRepository);
    return workflow;
  }

  #showWorkflow(one: WorkflowName, ofRepository: readonly WorkflowName[]): void {
    const isTaken = (name: string): boolean =>
      ofRepository.some((each) => each !== one && each.shownName === name);
    const shownName = freeName(one.name, [fileOf(one), one.ref], isTaken);
    if (shownName === one.shownName) return;
    const freed = one.shownName;
    one.shownName = shownName;
    this.#changedWorkflows.add(one);
    // Another one of this name was shown with its file.
    for (const each of ofRepository) if (each.name === freed) this.#showWorkflow(each, ofRepository);
  }

  /** Its run decides, if it is known. Otherwise a job has no more than the name of its workflow, which several may have. */
  #byName({ integrationId, runId, workflowName: name }: JobRow, repository: string): string | null {
    const ofRun = this.#ofRuns.get(runKey({ integrationId, runId }));
    if (ofRun !== undefined && ofRun !== null) return ofRun;
    const found = this.#workflows.find((each) => each.repository === repository && each.name === name);
    return found?.workflow ?? name;
  }
}

/** More names of one thing are forgotten, the oldest first. */
const mostEarlierNames = 20;

function withEarlier(names: readonly string[], name: string): string[] {
  return [...names.filter((each) => each !== name), name].slice(-mostEarlierNames);
}

function additionsOf({ forgeId, host }: Pick<RepositoryName, 'forgeId' | 'host'>): string[] {
  return [String(forgeId), `${host} ${forgeId}`];
}

const fileOf = ({ path, ref }: Pick<WorkflowName, 'path' | 'ref'>): string => path?.split('/').at(-1) ?? ref;

interface Place {
  repository: string;
  /** The name for display. */
  shownRepository: string;
}

/** The name, with the first addition that makes it free. Ends, because each addition is an id. */
function freeName(name: string, additions: readonly string[], isTaken: (name: string) => boolean): string {
  if (!isTaken(name)) return name;
  const candidates = additions.map((addition) => {
    const end = ` (${addition})`;
    return `${name.slice(0, Math.max(1, maxLengths.name - end.length))}${end}`.toWellFormed();
  });
  return candidates.find((each) => !isTaken(each)) ?? candidates.at(-1)!;
}
