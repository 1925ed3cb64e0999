import type { WorkflowRunQuery } from '#contract/runs/runs.ts';
import {
  conditionsOf,
  facetFields,
  orderOf,
  searchedFields,
  type RunCondition,
  type RunOrder,
  type TimeCondition,
} from '#contract/runs/run-filter.ts';
import type { RunFacet } from '#contract/runs/run-facets.ts';
import { columnName } from '#platform/database/rows/multi-row.ts';
import { headsOfPullRequests, isHeadOfPullRequest } from '../pull-request-store.ts';
import { shownRepository, shownWorkflow } from '../names/name-store.ts';
import { jobTexts } from './job-text-store.ts';
import { decodeCursor, type PagePosition } from '#platform/http/page-cursor.ts';
import { lowered, patternsOf } from '#platform/database/rows/words.ts';

/** Conditions on `workflow_runs r`, and the parameters they refer to. */
export interface RunFilterSql {
  order: RunOrder;
  /** Conditions of the index scan in the order of the list. The scanned runs are then filtered. Their parameters come first. */
  source: string[];
  /** Further conditions of the scan, each for another index. A run that meets one of them is scanned. */
  branches: string[];
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
  const order = orderOf(query);
  const filter: RunFilterSql = { order, source: [], branches: ['true'], byFacet: {}, rest: [], values: [] };
  const add: AddValue = (value) => `$${filter.values.push(value)}`;
  filter.source.push(`r.integration_id = ${add(integrationId)}::uuid`);
  if (query.cursor !== undefined)
    filter.source.push(isAfter(decodeCursor(query.cursor, 'number'), order, add));
  const conditions = conditionsOf(query);
  for (const condition of conditions.filter(isTime)) filter.source.push(sqlOf(condition, add));
  // No facet has the index of the search. The index of completion is the only one in its order.
  const branches = order === 'createdAt' ? searchBranches(conditions, add) : [];
  if (branches.length > 0) filter.branches = branches;
  else if (narrow && order === 'createdAt') filter.source.push(...narrowest(conditions, add));
  for (const condition of conditions.filter((each) => !isTime(each))) {
    const sql = sqlOf(condition, add);
    if (condition.kind === 'facet') filter.byFacet[condition.facet] = sql;
    else filter.rest.push(sql);
  }
  return filter;
}

const timeBounds = {
  created_from: 'r.created_at >=',
  created_before: 'r.created_at <',
  completed_from: 'r.completed_at >=',
  completed_before: 'r.completed_at <',
} as const satisfies Record<TimeCondition, string>;

function isTime(condition: RunCondition): condition is Extract<RunCondition, { kind: TimeCondition }> {
  return condition.kind in timeBounds;
}

/** The condition on `workflow_runs r`. Null counts as false. */
function sqlOf(condition: RunCondition, add: AddValue): string {
  if (isTime(condition))
    return `${timeBounds[condition.kind]} ${add(new Date(condition.time).toISOString())}::timestamptz`;
  switch (condition.kind) {
    case 'facet': {
      const values = add(condition.values);
      const isOne = facetFields[condition.facet].map(
        (field) => `r.${columnName(field)} = any (${values}::text[])`,
      );
      return `(${isOne.join(' or ')})`;
    }
    case 'branch_class':
      return `r.on_default_branch = ${condition.branchClass === 'default'}`;
    case 'attempt':
      return condition.attempt === 'later' ? 'r.attempt > 1' : 'r.attempt = 1';
    case 'pull_request':
      return belongsToPullRequest(add(condition.number));
    case 'number':
      return `(${namesNumber(condition, add).join(' or ')} or ${belongsToPullRequest(add(condition.number))})`;
    case 'commit':
      return hasSha(condition.sha, add);
    case 'text':
      return hasWords(condition.words, add);
  }
}

function isAfter({ at, id }: PagePosition, order: RunOrder, add: AddValue): string {
  return `(r.${columnName(order)}, r.run_id) < (${add(new Date(Number(at)).toISOString())}::timestamptz, ${add(id)}::bigint)`;
}

/** Of the indexes in the order of the list, the one that selects the fewest runs. */
function narrowest(conditions: readonly RunCondition[], add: AddValue): string[] {
  const values = new Map(
    conditions.flatMap((each) => (each.kind === 'facet' ? [[each.facet, each.values]] : [])),
  );
  const only = (facet: RunFacet) => (values.get(facet)?.length === 1 ? values.get(facet)?.[0] : undefined);
  const [repo, name, head] = [only('repository'), only('workflow'), only('branch')];
  if (values.get('status')?.every((value) => openStatuses.has(value))) return ['r.completed_at is null'];
  if (repo !== undefined && name !== undefined && !isWorkflowPath.test(name))
    return [`r.workflow_key = hashtextextended(${add(name)}::text, hashtextextended(${add(repo)}::text, 0))`];
  if (head !== undefined) return [`r.branch_key = hashtextextended(${add(head)}::text, 0)`];
  if (repo !== undefined) return [`r.repository_key = hashtextextended(${add(repo)}::text, 0)`];
  return [];
}

/** Of the conditions that an index answers exactly, the one that selects the fewest runs. None has an empty list. */
function searchBranches(conditions: readonly RunCondition[], add: AddValue): string[] {
  for (const condition of conditions) {
    if (condition.kind === 'commit') return [hasSha(condition.sha, add)];
    if (condition.kind === 'number')
      return [...namesNumber(condition, add), ...pullRequestBranches(condition.number, add)];
  }
  const pull = conditions.find(({ kind }) => kind === 'pull_request');
  return pull?.kind === 'pull_request' ? pullRequestBranches(pull.number, add) : [];
}

/** Almost all runs name one pull request or none. Those with several have an index of their own, without the numbers. */
function pullRequestBranches(number: number, add: AddValue): string[] {
  const $ = `${add(number)}::bigint`;
  return [
    `r.first_pull_request = ${$}`,
    'r.pull_requests[2] is not null',
    `r.head_sha = any (${headsOfPullRequests('$1::uuid', $)})`,
  ];
}

/** What a status can be that is no conclusion, and that no completed run has. */
const openStatuses = new Set(['requested', 'queued', 'pending', 'waiting', 'in_progress']);

/** The index has workflow names. A filter may also be a path, which from Gitea has no folder. */
const isWorkflowPath = /\/|\.ya?ml$/;

/** Runs from forks name no pull request. They are matched by their head commit. */
function belongsToPullRequest($: string): string {
  return `(r.pull_requests @> array[${$}::bigint] or r.pull_requests = '{}' and ${isHeadOfPullRequest(`${$}::bigint`)})`;
}

function namesNumber({ number, sha }: { number: number; sha: string | undefined }, add: AddValue): string[] {
  const value = `${add(number)}::bigint`;
  const names = [`r.run_number = ${value}`, `r.run_id = ${value}`];
  return sha === undefined ? names : [...names, hasSha(sha, add)];
}

/** A range, because with row-level security an index scan uses only leakproof conditions, and `like` is none. */
function hasSha(sha: string, add: AddValue): string {
  const end = sha.slice(0, -1) + String.fromCharCode(sha.charCodeAt(sha.length - 1) + 1);
  return `(r.head_sha >= ${add(sha)}::text and r.head_sha < ${add(end)}::text)`;
}

const searchedText = searchedFields
  .map((field) => `coalesce(r.${columnName(field)}, '')`)
  .join(" || ' ' || ");
const newestNames = `${shownRepository('r')} || ' ' || coalesce(${shownWorkflow('r')}, '')`;

function hasWords(words: readonly string[], add: AddValue): string {
  const $ = `${add(patternsOf(words))}::text[]`;
  return `(${lowered(searchedText)} like all (${$}) or ${lowered(`${searchedText} || ' ' || ${jobTexts} || ' ' || ${newestNames}`)} like all (${$}))`;
}
