import type { WorkflowRunQuery } from '#contract/runs/runs.ts';
import { conditionsOf, facetFields, type RunCondition, type RunFacet } from '#contract/runs/run-filter.ts';
import { columnName } from '#platform/database/multi-row.ts';
import { decodeCursor, type PagePosition } from '#platform/http/page-cursor.ts';

/** Conditions on `workflow_runs r`, and the parameters they refer to. */
export interface RunFilterSql {
  /** Conditions of the index scan in the order of the list. The scanned runs are then filtered. Their parameters come first. */
  source: string[];
  /** The condition of each filtered facet. */
  byFacet: Partial<Record<RunFacet, string>>;
  /** All others. */
  rest: string[];
  values: unknown[];
}

type AddValue = (value: unknown) => string;

/**
 * With `narrow`, the source is the index that selects the fewest runs; without, it is the creation time alone.
 * @throws AppError `invalid_request` when the cursor is invalid.
 */
export function runFilter(
  integrationId: string,
  query: WorkflowRunQuery,
  { narrow }: { narrow: boolean },
): RunFilterSql {
  const filter: RunFilterSql = { source: [], byFacet: {}, rest: [], values: [] };
  const add: AddValue = (value) => `$${filter.values.push(value)}`;
  filter.source.push(`r.integration_id = ${add(integrationId)}::uuid`);
  if (query.cursor !== undefined) filter.source.push(isAfter(decodeCursor(query.cursor, 'number'), add));
  const conditions = conditionsOf(query);
  for (const condition of conditions.filter(isTime)) filter.source.push(sqlOf(condition, add));
  if (narrow) filter.source.push(...narrowest(conditions, add));
  for (const condition of conditions.filter((each) => !isTime(each))) {
    const sql = sqlOf(condition, add);
    if (condition.kind === 'facet') filter.byFacet[condition.facet] = sql;
    else filter.rest.push(sql);
  }
  return filter;
}

function isTime({ kind }: RunCondition): boolean {
  return kind === 'created_from' || kind === 'created_before';
}

/** The condition on `workflow_runs r`. Null counts as false. */
function sqlOf(condition: RunCondition, add: AddValue): string {
  switch (condition.kind) {
    case 'facet': {
      const values = add(condition.values);
      const isOne = facetFields[condition.facet].map(
        (field) => `r.${columnName(field)} = any (${values}::text[])`,
      );
      return `(${isOne.join(' or ')})`;
    }
    case 'created_from':
      return `r.created_at >= ${add(new Date(condition.time).toISOString())}::timestamptz`;
    case 'created_before':
      return `r.created_at < ${add(new Date(condition.time).toISOString())}::timestamptz`;
    case 'pull_request':
      return belongsToPullRequest(add(condition.number));
    case 'search':
      return search(condition.words, condition.runNumber, add);
  }
}

function isAfter({ at, id }: PagePosition, add: AddValue): string {
  return `(r.created_at, r.run_id) < (${add(new Date(Number(at)).toISOString())}::timestamptz, ${add(id)}::bigint)`;
}

/** Of the indexes in the order of the list, the one that selects the fewest runs. */
function narrowest(conditions: readonly RunCondition[], add: AddValue): string[] {
  const values = new Map(
    conditions.flatMap((each) => (each.kind === 'facet' ? [[each.facet, each.values]] : [])),
  );
  const only = (facet: RunFacet) => (values.get(facet)?.length === 1 ? values.get(facet)?.[0] : undefined);
  const [repo, name, head] = [only('repository'), only('workflow'), only('branch')];
  if (values.get('status')?.includes('completed') === false) return ['r.completed_at is null'];
  if (repo !== undefined && name !== undefined && !isWorkflowPath.test(name))
    return [`r.workflow_key = hashtextextended(${add(name)}::text, hashtextextended(${add(repo)}::text, 0))`];
  if (head !== undefined) return [`r.branch_key = hashtextextended(${add(head)}::text, 0)`];
  if (repo !== undefined) return [`r.repository_key = hashtextextended(${add(repo)}::text, 0)`];
  return [];
}

/** The index has workflow names. A filter may also be a path, which from Gitea has no folder. */
const isWorkflowPath = /\/|\.ya?ml$/;

/** Runs from forks name no pull request. They are matched by their head commit. */
function belongsToPullRequest($: string): string {
  return `(r.pull_requests @> array[${$}::bigint] or r.pull_requests = '{}' and exists (
    select from pull_requests p
    where p.integration_id = r.integration_id and p.repository = r.repository
      and p.number = ${$}::bigint and p.head_sha = r.head_sha))`;
}

/** ICU lowers texts as JavaScript does, in every locale of the database. `ilike` follows the locale. */
const lowerText = `lower((coalesce(r.title, '') || ' ' || coalesce(r.error_line, '')) collate "und-x-icu")`;

function search(words: readonly string[], runNumber: number | undefined, add: AddValue): string {
  const patterns = words.map((word) => `%${word.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`);
  const isInText = `${lowerText} like all (${add(patterns)}::text[])`;
  return runNumber === undefined ? isInText : `(${isInText} or r.run_number = ${runNumber})`;
}
