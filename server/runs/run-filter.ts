import type { RunFacet, WorkflowFacetsQuery, WorkflowRunQuery } from '#contract/monitoring.ts';
import { splitValues } from '#contract/value-list.ts';
import { decodeCursor, type PagePosition } from '#platform/http/page-cursor.ts';

/** Conditions on `workflow_runs r`, and the parameters they refer to. */
export interface RunFilter {
  /** Conditions of the index scan in the order of the list. The scanned runs are then filtered. Their parameters come first. */
  source: string[];
  /** The condition of each filtered facet. */
  byFacet: Partial<Record<RunFacet, string>>;
  /** All others. */
  rest: string[];
  values: unknown[];
}

const facetConditions: Record<RunFacet, ($: string) => string> = {
  repository: ($) => `r.repository = any (${$}::text[])`,
  workflow: ($) => `(r.workflow_name = any (${$}::text[]) or r.workflow_path = any (${$}::text[]))`,
  branch: ($) => `r.head_branch = any (${$}::text[])`,
  status: ($) => `r.status = any (${$}::text[])`,
  conclusion: ($) => `r.conclusion = any (${$}::text[])`,
  actor: ($) => `(r.actor = any (${$}::text[]) or r.triggering_actor = any (${$}::text[]))`,
  event: ($) => `r.event = any (${$}::text[])`,
};

type AddValue = (value: unknown) => string;

/**
 * With `narrow`, the source is the index that selects the fewest runs; without, it is the creation time alone.
 * @throws AppError `invalid_request` when the cursor is invalid.
 */
export function runFilter(
  integrationId: string,
  query: WorkflowRunQuery,
  { narrow }: { narrow: boolean },
): RunFilter {
  const filter: RunFilter = { source: [], byFacet: {}, rest: [], values: [] };
  const add: AddValue = (value) => `$${filter.values.push(value)}`;
  filter.source.push(`r.integration_id = ${add(integrationId)}::uuid`);
  for (const [name, time] of [
    ['>=', query.from],
    ['<', query.to],
  ] as const)
    if (time !== undefined)
      filter.source.push(`r.created_at ${name} ${add(timeParameter(time))}::timestamptz`);
  if (query.cursor !== undefined) filter.source.push(isAfter(decodeCursor(query.cursor, 'number'), add));
  if (narrow) filter.source.push(...narrowest(query, add));
  for (const facet of Object.keys(facetConditions) as RunFacet[]) {
    const text = query[facet];
    if (text !== undefined) filter.byFacet[facet] = facetConditions[facet](add(valuesOf(text)));
  }
  if (query.pullRequest !== undefined) filter.rest.push(belongsToPullRequest(add(query.pullRequest)));
  if (query.q !== undefined) filter.rest.push(search(query.q, add));
  return filter;
}

function isAfter({ at, id }: PagePosition, add: AddValue): string {
  return `(r.created_at, r.run_id) < (${add(new Date(Number(at)).toISOString())}::timestamptz, ${add(id)}::bigint)`;
}

/** Of the indexes in the order of the list, the one that selects the fewest runs. */
function narrowest({ repository, workflow, branch, status }: WorkflowFacetsQuery, add: AddValue): string[] {
  const [repo, name, head] = [only(repository), only(workflow), only(branch)];
  if (status !== undefined && !valuesOf(status).includes('completed')) return ['r.completed_at is null'];
  // A filter may also name the workflow's path, which the index does not contain.
  if (repo !== undefined && name !== undefined && !name.includes('/'))
    return [`r.workflow_key = workflow_key(${add(repo)}, ${add(name)})`];
  if (head !== undefined) return [`r.branch_key = hashtextextended(${add(head)}::text, 0)`];
  if (repo !== undefined) return [`r.repository_key = hashtextextended(${add(repo)}::text, 0)`];
  return [];
}

function only(text: string | undefined): string | undefined {
  const values = text === undefined ? [] : valuesOf(text);
  return values.length === 1 ? values[0] : undefined;
}

/** Postgres accepts no NUL in a text, and no row contains one. */
function valuesOf(text: string): string[] {
  return splitValues(text.replaceAll('\0', '\uFFFD'));
}

/** Postgres does not accept all years of ISO 8601, so times before 1970 become 1970. */
function timeParameter(time: string): string {
  return new Date(Math.max(0, Date.parse(time) || 0)).toISOString();
}

/** Runs from forks name no pull request. They are matched by their head commit. */
function belongsToPullRequest($: string): string {
  return `(r.pull_requests @> array[${$}::bigint] or r.pull_requests = '{}' and exists (
    select from pull_requests p
    where p.integration_id = r.integration_id and p.repository = r.repository
      and p.number = ${$}::bigint and p.head_sha = r.head_sha))`;
}

/** Matches all words in the title, ignoring case, or the run number with or without `#`. */
function search(q: string, add: AddValue): string {
  const words = q.replaceAll('\0', '\uFFFD').split(/\s+/);
  const patterns = words.map((word) => `%${word.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`);
  const number = /^#?(\d{1,15})$/.exec(q.trim())?.[1];
  const inTitle = `r.title ilike all (${add(patterns)}::text[])`;
  return number === undefined ? inTitle : `(${inTitle} or r.run_number = ${number})`;
}
