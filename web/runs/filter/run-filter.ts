import type { WorkflowRun, WorkflowRunQuery } from '#contract/monitoring.ts';
import { joinValues, splitValues } from '#contract/value-list.ts';

/**
 * The filter without a cursor, as in requests and addresses. A property may have several values, see `contract/value-
 * list.ts`.
 */
export type RunFilter = Omit<WorkflowRunQuery, 'limit' | 'cursor'>;

/** Escapes one value for a property that accepts several. */
export const only = (value: string): string => joinValues([value]);

type Test = (run: WorkflowRun, value: string) => boolean | undefined;

/** Evaluates the server's conditions on one run; undefined when only the server can decide. */
const tests: { [name in keyof RunFilter]-?: Test } = {
  repository: (run, value) => isOneOf(value, run.repository),
  workflow: (run, value) => isOneOf(value, run.workflowName, run.workflowPath),
  branch: (run, value) => isOneOf(value, run.headBranch),
  status: (run, value) => isOneOf(value, run.status),
  conclusion: (run, value) => isOneOf(value, run.conclusion),
  actor: (run, value) => isOneOf(value, run.actor, run.triggeringActor),
  event: (run, value) => isOneOf(value, run.event),
  pullRequest: (run, value) => belongsToPullRequest(run, Number(value)),
  from: (run, value) => Date.parse(run.createdAt) >= Date.parse(value),
  to: (run, value) => Date.parse(run.createdAt) < Date.parse(value),
  q: (run, value) => isFound(run, value),
};

export function matchesFilter(run: WorkflowRun, filter: RunFilter): boolean | undefined {
  let isKnown = true;
  for (const [name, test] of Object.entries(tests) as [keyof RunFilter, Test][]) {
    const value = filter[name];
    if (value === undefined) continue;
    const verdict = test(run, String(value));
    if (verdict === false) return false;
    if (verdict === undefined) isKnown = false;
  }
  return isKnown ? true : undefined;
}

function isOneOf(wanted: string, ...names: (string | null)[]): boolean {
  const values = splitValues(wanted);
  return names.some((name) => name !== null && values.includes(name));
}

/** Runs from forks name no pull request. The server finds them by their head. */
function belongsToPullRequest(run: WorkflowRun, number: number): boolean | undefined {
  if (run.pullRequests.includes(number)) return true;
  return run.pullRequests.length === 0 ? undefined : false;
}

/** Matches every word in the title, case-insensitive, or the run number with or without `#`. */
function isFound(run: WorkflowRun, q: string): boolean {
  if (/^#?\d{1,15}$/.test(q.trim()) && run.runNumber === Number(q.trim().replace('#', ''))) return true;
  if (run.title === null) return false;
  const title = run.title.toLowerCase();
  return q
    .toLowerCase()
    .split(/\s+/)
    .every((word) => title.includes(word));
}
