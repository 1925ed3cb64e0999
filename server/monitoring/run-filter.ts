import type { WorkflowRunQuery } from '#contract/monitoring.ts';
import { decodeCursor } from './run-cursor.ts';

/** Conditions on `workflow_runs r`, to be joined with `and`, and the parameters they refer to. */
export interface RunFilter {
  conditions: string[];
  values: unknown[];
}

/** @throws AppError `invalid_request` for a cursor that is none. */
export function runFilter(integrationId: string, query: WorkflowRunQuery): RunFilter {
  const filter: RunFilter = { conditions: [], values: [] };
  const add = (value: unknown, condition: (parameter: string) => string) => {
    if (value === undefined) return;
    filter.values.push(typeof value === 'string' ? value.replaceAll('\0', '\uFFFD') : value);
    filter.conditions.push(condition(`$${filter.values.length}`));
  };
  add(integrationId, ($) => `r.integration_id = ${$}::uuid`);
  add(query.repository, ($) => `r.repository = ${$}`);
  add(query.workflow, ($) => `${$} in (r.workflow_name, r.workflow_path)`);
  add(query.branch, ($) => `r.head_branch = ${$}`);
  add(query.status, ($) => `r.status = ${$}`);
  add(query.conclusion, ($) => `r.conclusion = ${$}`);
  add(query.actor, ($) => `${$} in (r.actor, r.triggering_actor)`);
  add(query.event, ($) => `r.event = ${$}`);
  add(timeParameter(query.from), ($) => `r.created_at >= ${$}::timestamptz`);
  add(timeParameter(query.to), ($) => `r.created_at < ${$}::timestamptz`);
  add(query.pullRequest, belongsToPullRequest);
  addSearch(query.q, add);
  addPosition(query.cursor, filter);
  return filter;
}

/** A time as Postgres reads it: years before 1970 are valid in ISO 8601 and not all of them there. */
function timeParameter(time: string | undefined): string | undefined {
  return time === undefined ? undefined : new Date(Math.max(0, Date.parse(time) || 0)).toISOString();
}

/** Runs from forks name no pull request; they are found by the head they ran on. */
function belongsToPullRequest($: string): string {
  return `(r.pull_requests @> array[${$}::bigint] or r.pull_requests = '{}' and exists (
    select from pull_requests p
    where p.integration_id = r.integration_id and p.repository = r.repository
      and p.number = ${$}::bigint and p.head_sha = r.head_sha))`;
}

/** Every word in the title in any case, or the number of the run, with or without `#`. */
function addSearch(
  q: string | undefined,
  add: (value: unknown, condition: ($: string) => string) => void,
): void {
  if (q === undefined) return;
  const words = q.replaceAll('\0', '\uFFFD').split(/\s+/);
  const patterns = words.map((word) => `%${word.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`);
  const number = /^#?(\d{1,15})$/.exec(q.trim())?.[1];
  add(patterns, ($) => {
    const inTitle = `r.title ilike all (${$}::text[])`;
    return number === undefined ? inTitle : `(${inTitle} or r.run_number = ${number})`;
  });
}

function addPosition(cursor: string | undefined, filter: RunFilter): void {
  if (cursor === undefined) return;
  const { createdAt, runId } = decodeCursor(cursor);
  filter.values.push(new Date(createdAt).toISOString(), runId);
  const count = filter.values.length;
  filter.conditions.push(`(r.created_at, r.run_id) < ($${count - 1}::timestamptz, $${count}::bigint)`);
}
