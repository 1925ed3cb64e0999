import { type RunFacet, runFacets } from './run-facets.ts';
import type { WorkflowFacetsQuery, WorkflowRun } from './runs.ts';
import { parseSearch, type RunSearch } from './run-search.ts';
import { splitValues } from '../base/value-list.ts';

/**
 * The filter of the list of runs, as in requests and addresses. The server turns its conditions into SQL, and the browser tests
 * live updates against them.
 */
export type RunFilter = WorkflowFacetsQuery;

/** The fields of a run that each facet compares with its values. */
export const facetFields = {
  repository: ['repository'],
  workflow: ['workflowName', 'workflowPath'],
  branch: ['headBranch'],
  // The conclusion of a completed run is its status for people.
  status: ['status', 'conclusion'],
  conclusion: ['conclusion'],
  actor: ['actor', 'triggeringActor'],
  event: ['event'],
} as const satisfies Record<RunFacet, readonly (keyof WorkflowRun)[]>;

export type TimeCondition = 'created_from' | 'created_before' | 'completed_from' | 'completed_before';

export type RunCondition =
  /** One of the facet's fields has one of the values. */
  | { kind: 'facet'; facet: RunFacet; values: string[] }
  /** Milliseconds since the epoch. */
  | { kind: TimeCondition; time: number }
  | { kind: 'branch_class'; branchClass: 'default' | 'other' }
  | { kind: 'attempt'; attempt: 'first' | 'later' }
  | { kind: 'pull_request'; number: number }
  | RunSearch;

/**
 * The fields of a run that a search for text looks at, as one text with spaces between them. The server also looks at the jobs of all
 * attempts and at their error lines.
 */
export const searchedFields = [
  'title',
  'errorLine',
  'headBranch',
  'actor',
  'triggeringActor',
  'repository',
  'workflowName',
] as const satisfies readonly (keyof WorkflowRun)[];

/** Lists by time of completion are in its order. A run that is not completed is in none of them. */
export type RunOrder = 'createdAt' | 'completedAt';

export function orderOf({ completedFrom, completedTo }: RunFilter): RunOrder {
  return completedFrom === undefined && completedTo === undefined ? 'createdAt' : 'completedAt';
}

/** A run matches a filter if it meets all its conditions. */
export function conditionsOf(filter: RunFilter): RunCondition[] {
  const conditions: RunCondition[] = [];
  for (const facet of runFacets) {
    const text = filter[facet];
    if (text !== undefined) conditions.push({ kind: 'facet', facet, values: splitValues(asStored(text)) });
  }
  const { from, to, completedFrom, completedTo, branchClass, attempt, pullRequest, q } = filter;
  if (from !== undefined) conditions.push({ kind: 'created_from', time: timeOf(from) });
  if (to !== undefined) conditions.push({ kind: 'created_before', time: timeOf(to) });
  if (completedFrom !== undefined) conditions.push({ kind: 'completed_from', time: timeOf(completedFrom) });
  if (completedTo !== undefined) conditions.push({ kind: 'completed_before', time: timeOf(completedTo) });
  if (branchClass !== undefined) conditions.push({ kind: 'branch_class', branchClass });
  if (attempt !== undefined) conditions.push({ kind: 'attempt', attempt });
  if (pullRequest !== undefined) conditions.push({ kind: 'pull_request', number: pullRequest });
  if (q !== undefined) conditions.push(parseSearch(asStored(q)));
  return conditions;
}

/** Whether the run matches the filter; undefined when only the server can decide. */
export function matchesFilter(run: WorkflowRun, filter: RunFilter): boolean | undefined {
  const verdicts = conditionsOf(filter).map((condition) => meets(run, condition));
  if (verdicts.includes(false)) return false;
  return verdicts.includes(undefined) ? undefined : true;
}

function meets(run: WorkflowRun, condition: RunCondition): boolean | undefined {
  switch (condition.kind) {
    case 'facet':
      return facetFields[condition.facet]
        .map((field) => run[field])
        .some((value) => value !== null && condition.values.includes(value));
    case 'created_from':
      return Date.parse(run.createdAt) >= condition.time;
    case 'created_before':
      return Date.parse(run.createdAt) < condition.time;
    case 'completed_from':
      return run.completedAt !== null && Date.parse(run.completedAt) >= condition.time;
    case 'completed_before':
      return run.completedAt !== null && Date.parse(run.completedAt) < condition.time;
    case 'branch_class':
      // The server knows whether a branch is the default branch of the repository.
      return undefined;
    case 'attempt':
      return run.attempt > 1 === (condition.attempt === 'later');
    case 'pull_request':
      return isOfPullRequest(run, condition.number);
    case 'number':
      if (run.runNumber === condition.number || run.runId === condition.number) return true;
      return startsWith(run, condition.sha) || isOfPullRequest(run, condition.number);
    case 'commit':
      return startsWith(run, condition.sha);
    case 'text':
      return hasWords(run, condition.words) || undefined;
  }
}

/** A run from a fork names no pull request. The server finds it by its head commit. */
function isOfPullRequest({ pullRequests }: WorkflowRun, number: number): boolean | undefined {
  return pullRequests.length === 0 ? undefined : pullRequests.includes(number);
}

function startsWith({ headSha }: WorkflowRun, sha: string | undefined): boolean {
  return sha !== undefined && headSha !== null && headSha.startsWith(sha);
}

function hasWords(run: WorkflowRun, words: readonly string[]): boolean {
  const text = searchedFields
    .map((field) => run[field] ?? '')
    .join(' ')
    .toLowerCase();
  return words.every((word) => text.includes(word));
}

/** Stored texts are well formed and contain no NUL, see `storableText`. */
function asStored(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}

/** Postgres does not accept all years of ISO 8601, so times before 1970 become 1970. */
function timeOf(text: string): number {
  return Math.max(0, Date.parse(text) || 0);
}
