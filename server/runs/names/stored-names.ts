import { LRUCache } from 'lru-cache';
import { joinValues, splitValues } from '#contract/base/value-list.ts';
import type { Database, Tx } from '#platform/database/database.ts';
import type { Route } from '#server/route.ts';
import { findRepositories, findWorkflows, type StoredName } from './name-store.ts';
import { readShownNames, ShownNames } from './shown-names.ts';

/** Filters by repository and workflow, and bodies that name one. */
export interface NameFilter {
  repository?: string | undefined;
  workflow?: string | undefined;
}

/**
 * Puts the stored names in place of those that people see. A name means what is shown under it; else what had it first; else what had it in
 * between.
 */
export async function storedNames<Filter extends NameFilter>(
  tx: Tx,
  integrationId: string,
  filter: Filter,
  isList = true,
): Promise<Filter> {
  const { repository, workflow } = filter;
  const split = (text: string): string[] => (isList ? splitValues(text) : [text]);
  const join = (names: readonly string[]): string => (isList ? joinValues(names) : names[0]!);
  const found =
    repository === undefined ? [] : best(await findRepositories(tx, integrationId, split(repository)));
  const repositories = repository === undefined ? null : storedOf(split(repository), found);
  const workflows =
    workflow === undefined ? [] : best(await findWorkflows(tx, integrationId, split(workflow), repositories));
  const names = workflow === undefined ? null : storedOf(split(workflow), workflows);
  const inRepositories = [...new Set(workflows.map((each) => each.repository))];
  const changed = (given: string | undefined, stored: readonly string[] | null): stored is string[] =>
    given !== undefined && stored !== null && stored.join('\n') !== split(given).join('\n');
  const isRenamed = changed(workflow, names);
  // A stored name may stand for other workflows in other repositories.
  const narrowed = isList && isRenamed && repository === undefined && inRepositories.length === 1;
  return {
    ...filter,
    ...(narrowed && { repository: join(inRepositories) }),
    ...(changed(repository, repositories) && { repository: join(repositories) }),
    ...(isRenamed && { workflow: join(names) }),
  };
}

function best<Found extends StoredName>(found: readonly Found[]): Found[] {
  const least = new Map<string, number>();
  for (const { name, rank } of found) least.set(name, Math.min(rank, least.get(name) ?? rank));
  return found.filter(({ name, rank }) => rank === least.get(name));
}

function storedOf(names: readonly string[], found: readonly StoredName[]): string[] {
  return [
    ...new Set(
      names.flatMap((name) => {
        const own = found.filter((each) => each.name === name).map(({ stored }) => stored);
        return own.length === 0 ? [name] : own;
      }),
    ),
  ];
}

/** For how long a process may show an old name. Live updates bring the new ones at once. */
const staleMs = 1_000;

/** The names of integrations for display, read once a second at most. */
export class NameCache {
  readonly #known = new LRUCache<string, ShownNames>({ max: 2_000, ttl: staleMs });
  readonly #db: Pick<Database, 'withScope'>;

  constructor(db: Pick<Database, 'withScope'>) {
    this.#db = db;
  }

  /** Reads them again. */
  async readIn(tx: Tx, integrationIds: readonly string[]): Promise<ShownNames> {
    const names = await readShownNames(tx, integrationIds);
    if (integrationIds.length === 1) this.#known.set(integrationIds[0]!, names);
    return names;
  }

  async of(integrationIds: readonly string[]): Promise<ShownNames> {
    const [only] = integrationIds;
    if (only === undefined) return new ShownNames([]);
    const known = integrationIds.length === 1 ? this.#known.get(only) : undefined;
    return (
      known ??
      (await this.#db.withScope({ integrationIds: [...integrationIds] }, (tx) =>
        this.readIn(tx, integrationIds),
      ))
    );
  }
}

/**
 * Lets a route take names that people see, and answer with them. Rows have the first name of a repository or workflow
 * (docs/decisions/0024-names-stand-for-ids.md).
 */
export function withNames(db: Pick<Database, 'withScope'>, cache: NameCache, row: Route): Route {
  const takes = takesNames(row);
  const answers = JSON.stringify(row.answer?.schema ?? {}).includes('"repository"');
  if (!takes.query && !takes.body && !answers) return row;
  return {
    ...row,
    handle: async (input) => {
      const { integrationId } = input.params as { integrationId?: string };
      const stored = (given: unknown, isList: boolean): Promise<unknown> =>
        integrationId === undefined || given === null || typeof given !== 'object'
          ? Promise.resolve(given)
          : db.withScope({ integrationId }, (tx) =>
              storedNames(tx, integrationId, given as NameFilter, isList),
            );
      const isNamed = ({ repository, workflow }: NameFilter): boolean =>
        repository !== undefined || workflow !== undefined;
      const query =
        takes.query && isNamed(input.query as NameFilter) ? await stored(input.query, true) : input.query;
      const body = takes.body ? await stored(input.body, false) : input.body;
      const answer = await row.handle({ ...input, query, body });
      if (!answers) return answer;
      const names = await cache.of(integrationId === undefined ? integrationsIn(answer) : [integrationId]);
      return names.show(integrationId ?? '', answer);
    },
  };
}

function takesNames({ method, path, query, body }: Route): { query: boolean; body: boolean } {
  if (!path.includes('/:integrationId/')) return { query: false, body: false };
  const has = (name: string, schema: Route['query']): boolean => name in (schema?.properties ?? {});
  return {
    query: method === 'GET' && (has('repository', query) || has('workflow', query)),
    // One workflow, as badges, hidden workflows and owners name it.
    body: method !== 'GET' && has('repository', body) && has('workflow', body),
  };
}

/** More integrations are left out: an answer about all of a person's is short. */
const mostIntegrations = 200;

function integrationsIn(value: unknown, found = new Set<string>()): string[] {
  if (Array.isArray(value)) for (const each of value) integrationsIn(each, found);
  else if (typeof value === 'object' && value !== null) {
    const { integrationId } = value as { integrationId?: unknown };
    if (typeof integrationId === 'string') found.add(integrationId);
    for (const each of Object.values(value)) integrationsIn(each, found);
  }
  return [...found].slice(0, mostIntegrations);
}
