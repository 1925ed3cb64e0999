import { joinValues, splitValues } from '#contract/base/value-list.ts';
import type { Database, Tx } from '#platform/database/database.ts';
import type { Route } from '#server/route.ts';
import { findRepositories, findWorkflows } from './name-store.ts';

const param = '/:integrationId/';

/**
 * Lets filters by repository and workflow take the newest names too: rows have the first name that was seen
 * (docs/decisions/0024-names-stand-for-ids.md). A name that some row has means that row.
 */
export function withStoredNames(db: Pick<Database, 'withScope'>, row: Route): Route {
  const fields = row.query?.properties ?? {};
  if (row.method !== 'GET' || !row.path.includes(param) || !('repository' in fields || 'workflow' in fields))
    return row;
  return {
    ...row,
    handle: async (input) => {
      const query = input.query as NameFilter;
      if (query.repository === undefined && query.workflow === undefined) return row.handle(input);
      const { integrationId } = input.params as { integrationId: string };
      const names = await db.withScope({ integrationId }, (tx) => storedNames(tx, integrationId, query));
      return row.handle({ ...input, query: { ...query, ...names } });
    },
  };
}

interface NameFilter {
  repository?: string;
  workflow?: string;
}

async function storedNames(
  tx: Tx,
  integrationId: string,
  { repository, workflow }: NameFilter,
): Promise<NameFilter> {
  const repositories =
    repository === undefined
      ? undefined
      : replaced(repository, await findRepositories(tx, integrationId, splitValues(repository)));
  const workflows =
    workflow === undefined
      ? undefined
      : replaced(
          workflow,
          await findWorkflows(
            tx,
            integrationId,
            splitValues(workflow),
            repositories === undefined ? null : splitValues(repositories),
          ),
        );
  return {
    ...(repositories !== undefined && { repository: repositories }),
    ...(workflows !== undefined && { workflow: workflows }),
  };
}

/** Pure. The same text if each name is one that rows have, or is unknown: some filters are one name and no list. */
function replaced(list: string, found: readonly { name: string; stored: string }[]): string {
  const storedOf = (name: string): string[] => {
    const own = found.filter((each) => each.name === name).map(({ stored }) => stored);
    return own.length === 0 || own.includes(name) ? [name] : own;
  };
  const names = splitValues(list);
  const stored = names.flatMap(storedOf);
  return stored.length === names.length && stored.every((each, index) => each === names[index])
    ? list
    : joinValues(stored);
}
