import type { MonitoringEvent } from '../parsing/parse-event.ts';
import { maxLengths } from '../parsing/payload-fields.ts';
import { runKey, type RunOfJobs } from '#server/runs/objects/run.ts';
import type { JobRow } from '#server/runs/objects/job.ts';
import type { EventSource } from './event-source.ts';

/** A repository of an integration. */
export interface RepositoryName {
  integrationId: string;
  /** Stands for the repository in every table. The first name that was seen, so it is not for display. */
  repository: string;
  forgeId: number | null;
  host: string | null;
  fullName: string;
  defaultBranch: string | null;
  /** Milliseconds. */
  namedAt: number;
}

/** A workflow of a repository. */
export interface WorkflowName {
  integrationId: string;
  repository: string;
  /** Stands for the workflow in every table. */
  workflow: string;
  ref: string;
  name: string;
  path: string | null;
  namedAt: number;
}

export interface Names {
  repositories: readonly RepositoryName[];
  workflows: readonly WorkflowName[];
}

export interface Renaming {
  integrationId: string;
  /** Set for a workflow. */
  repository: string | null;
  from: string;
  to: string;
}

/** Another branch became the default branch. */
export interface MovedDefaultBranch {
  integrationId: string;
  repository: string;
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
  const registry = new Registry(known, runsOfJobs);
  // Runs first: jobs have no id of their workflow.
  const resolved = new Map<MonitoringEvent, MonitoringEvent>();
  for (const event of events) if (event.type === 'workflow_run') resolved.set(event, registry.resolve(event));
  for (const event of events) if (event.type !== 'workflow_run') resolved.set(event, registry.resolve(event));
  return { events: events.map((event) => resolved.get(event)!), ...registry.changes() };
}

class Registry {
  readonly #repositories: RepositoryName[];
  readonly #workflows: WorkflowName[];
  readonly #changedRepositories = new Set<RepositoryName>();
  readonly #changedWorkflows = new Set<WorkflowName>();
  readonly #renamed: Renaming[] = [];
  readonly #movedBranches: MovedDefaultBranch[] = [];

  /** Workflows of runs by `runKey`. */
  readonly #ofRuns: Map<string, string | null>;

  constructor({ repositories, workflows }: Names, runsOfJobs: ReadonlyMap<string, RunOfJobs>) {
    this.#ofRuns = new Map([...runsOfJobs].map(([key, { workflowName }]) => [key, workflowName]));
    this.#repositories = repositories.map((each) => ({ ...each }));
    this.#workflows = workflows.map((each) => ({ ...each }));
  }

  resolve(event: MonitoringEvent): MonitoringEvent {
    const { source, row, integrationId } = event;
    if (source === undefined) return event;
    const { repository } = this.#repositoryOf(integrationId, row.repository, source);
    if (event.type === 'workflow_run') {
      const { headRepository } = event.row;
      const workflowName = this.#workflowOf(integrationId, repository, source) ?? event.row.workflowName;
      this.#ofRuns.set(runKey(event.row), workflowName);
      const isOwn = source.isOwnHead ?? headRepository === row.repository;
      return {
        ...event,
        row: {
          ...event.row,
          repository,
          headRepository: isOwn && headRepository !== null ? repository : headRepository,
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
      const { headRepository } = event.row;
      const isOwn = source.isOwnHead ?? headRepository === row.repository;
      return {
        ...event,
        row: {
          ...event.row,
          repository,
          headRepository: isOwn && headRepository !== null ? repository : headRepository,
        },
      };
    }
    return { ...event, row: { ...event.row, repository } };
  }

  changes(): Omit<ResolvedNames, 'events'> {
    return {
      repositories: [...this.#changedRepositories],
      workflows: [...this.#changedWorkflows],
      renamed: this.#renamed,
      movedBranches: this.#movedBranches,
    };
  }

  #repositoryOf(integrationId: string, fullName: string, source: EventSource): RepositoryName {
    const found = this.#repositories.find(
      (each) =>
        each.integrationId === integrationId &&
        (source.repositoryId === null || each.forgeId === null
          ? each.fullName === fullName
          : each.forgeId === source.repositoryId && isSameHost(each.host, source.host)),
    );
    if (found === undefined) return this.#addRepository(integrationId, fullName, source);
    const isNewer = source.at > found.namedAt;
    if (found.forgeId === null && source.repositoryId !== null)
      this.#update(found, { forgeId: source.repositoryId });
    if (found.host === null && source.host !== null) this.#update(found, { host: source.host });
    if (isNewer && found.fullName !== fullName) {
      this.#renamed.push({ integrationId, repository: null, from: found.fullName, to: fullName });
      this.#update(found, { fullName, namedAt: source.at });
    }
    const { repository, defaultBranch: from } = found;
    if (isNewer && source.defaultBranch !== null && source.defaultBranch !== from) {
      if (from !== null)
        this.#movedBranches.push({ integrationId, repository, from, to: source.defaultBranch });
      this.#update(found, { defaultBranch: source.defaultBranch, namedAt: source.at });
    }
    return found;
  }

  #update(found: RepositoryName, change: Partial<RepositoryName>): void {
    Object.assign(found, change);
    this.#changedRepositories.add(found);
  }

  #addRepository(integrationId: string, fullName: string, source: EventSource): RepositoryName {
    const isTaken = (name: string): boolean =>
      this.#repositories.some((each) => each.integrationId === integrationId && each.repository === name);
    const added: RepositoryName = {
      integrationId,
      repository: freeName(
        fullName,
        [String(source.repositoryId), `${source.host} ${source.repositoryId}`],
        isTaken,
      ),
      forgeId: source.repositoryId,
      host: source.host,
      fullName,
      defaultBranch: source.defaultBranch,
      namedAt: source.at,
    };
    this.#repositories.push(added);
    this.#changedRepositories.add(added);
    return added;
  }

  /** Undefined when neither the event nor an earlier one names the workflow. */
  #workflowOf(integrationId: string, repository: string, source: EventSource): string | undefined {
    const { workflowRef: ref, workflowName: name, workflowPath: path, at } = source;
    const ofRepository = this.#workflows.filter(
      (each) => each.integrationId === integrationId && each.repository === repository,
    );
    if (ref === null)
      return name === null ? undefined : (ofRepository.find((each) => each.name === name)?.workflow ?? name);
    const found = ofRepository.find((each) => each.ref === ref);
    if (found !== undefined) {
      if (name !== null && name !== found.name && at > found.namedAt) {
        this.#renamed.push({ integrationId, repository, from: found.name, to: name });
        Object.assign(found, { name, namedAt: at, path: path ?? found.path });
        this.#changedWorkflows.add(found);
      }
      return found.workflow;
    }
    if (name === null) return undefined;
    const isTaken = (candidate: string): boolean => ofRepository.some((each) => each.workflow === candidate);
    const file = path?.split('/').at(-1) ?? ref;
    const workflow = freeName(name, [file, ref], isTaken);
    const added = { integrationId, repository, workflow, ref, name, path, namedAt: at };
    this.#workflows.push(added);
    this.#changedWorkflows.add(added);
    return workflow;
  }

  /** A job names its workflow. When several have this name, its run decides, if it is known. */
  #byName({ integrationId, runId, workflowName: name }: JobRow, repository: string): string | null {
    const found = this.#workflows.filter(
      (each) => each.integrationId === integrationId && each.repository === repository && each.name === name,
    );
    const ofRun = this.#ofRuns.get(runKey({ integrationId, runId }));
    return (found.find(({ workflow }) => workflow === ofRun) ?? found[0])?.workflow ?? name;
  }
}

const isSameHost = (one: string | null, other: string | null): boolean =>
  one === null || other === null || one === other;

/** The name, with the first addition that makes it free. Ends, because each addition is an id. */
function freeName(name: string, additions: readonly string[], isTaken: (name: string) => boolean): string {
  if (!isTaken(name)) return name;
  const candidates = additions.map((addition) => {
    const end = ` (${addition})`;
    return `${name.slice(0, Math.max(1, maxLengths.name - end.length))}${end}`.toWellFormed();
  });
  return candidates.find((each) => !isTaken(each)) ?? candidates.at(-1)!;
}
