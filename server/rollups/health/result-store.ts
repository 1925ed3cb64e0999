import { redConclusions } from '#contract/runs/conclusions.ts';
import type { Tx } from '#platform/database/database.ts';
import { literals } from '#platform/database/rows/literals.ts';
import { decidedAttempts } from '#server/runs/latest/stored-result.ts';
import { walk } from '#server/runs/latest/stored-workflows.ts';
import type { Result } from './red-periods.ts';

/** Milliseconds since the epoch. `to` is exclusive. */
export interface Window {
  from: number;
  to: number;
}

/** At most this many failures are read, newest first; of a branch that is not the default branch as many runs. */
export const maxResults = 5000;

/** Runs of a workflow that are searched for the next one that passed or failed, and for those that ran beside it. */
const maxScanned = 200;

/** A message that reverts says so at its beginning. */
const messageLength = 300;

const timeValues = ({ from, to }: Window): [string, string] => [
  new Date(from).toISOString(),
  new Date(to).toISOString(),
];

const isRed = (column: string): string => `coalesce(${column}, '') in ${literals(redConclusions)}`;
/** SQL: a time in milliseconds since the epoch. */
export const ms = (column: string): string => `round(extract(epoch from ${column}) * 1000)::float8`;

const resultColumns = `w.repository, coalesce(w.workflow_name, '') as workflow, w.head_branch as branch, w.run_id::float8 as "runId",
  d.attempt, ${ms('w.created_at')} as "createdAt", ${ms('d.completed_at')} as "completedAt", ${isRed('d.conclusion')} as "isRed",
  w.head_sha as "headSha",
  case when not ${isRed('d.conclusion')} then left(coalesce(w.commit_message, w.title), ${messageLength}) end as message`;

const decidedBefore = (run: string): string => `${decidedAttempts(run)} and completed_at < $3`;

/** The runs of the workflow of `r` on the default branch, from a place on in the order of their creation. */
const newer = (from: string, before = 'true'): string => `
  select * from workflow_runs w where w.integration_id = $1 and w.on_default_branch and w.workflow_key = r.workflow_key
    and (w.created_at, w.run_id) ${from} and ${before}
  order by w.created_at, w.run_id limit ${maxScanned}`;

const failures = (columns: string, table: string): string => `
  (select ${columns} run_id, completed_at from ${table} where integration_id = $1 and on_default_branch
     and conclusion in ${literals(redConclusions)} and completed_at >= $2 and completed_at < $3
   order by completed_at desc limit ${maxResults})`;

/**
 * The failures in the window on default branches, and the results that decide how long each counts: the next result of its workflow, and the
 * first success of a newer run. All attempts of these runs are listed, so these results tell the state of each workflow at any time
 * of the window as all results would.
 */
export function listResultsOnDefault(tx: Tx, integrationId: string, window: Window): Promise<Result[]> {
  return tx.rows<Result>({
    name: 'list-results-on-default',
    text: `with red as materialized (
             select distinct run_id, created_at, workflow_key from (
               select * from (
                 ${failures('created_at, workflow_key,', 'workflow_runs')} union all
                 select w.created_at, w.workflow_key, a.* from ${failures('', 'workflow_run_attempts')} a
                 cross join lateral (
                   select * from workflow_runs w where w.integration_id = $1 and w.run_id = a.run_id limit 1) w) f
               order by completed_at desc limit ${maxResults}) newest),
           chosen as materialized (
             select run_id from red
             union
             select unnest(array[n.run_id, g.run_id]) from red r
             cross join lateral (
               select w.created_at, w.run_id, d.conclusion, d.completed_at
               from (${newer('> (r.created_at, r.run_id)')}) w
               cross join lateral (${decidedBefore('w')} order by attempt desc limit 1) d
               order by w.created_at, w.run_id limit 1) n
             left join lateral (
               select w.run_id from (${newer('> (n.created_at, n.run_id)', 'w.created_at < n.completed_at')}) w
               cross join lateral (
                 ${decidedBefore('w')} and conclusion = 'success' and completed_at < n.completed_at
                 order by completed_at limit 1) d
               order by d.completed_at limit 1) g on n.conclusion = 'success')
           select ${resultColumns} from chosen k
           cross join lateral (
             select * from workflow_runs w where w.integration_id = $1 and w.run_id = k.run_id limit 1) w
           cross join lateral (${decidedBefore('w')}) d`,
    values: [integrationId, ...timeValues(window)],
  });
}

/**
 * The results of the newest runs of a branch, without those of forks that have a branch of this name, and since when none is missing.
 */
export async function listResultsOn(
  tx: Tx,
  integrationId: string,
  branch: string,
  window: Window,
): Promise<{ results: Result[]; from: number }> {
  const rows = await tx.rows<Result & { isOwn: boolean | null }>({
    name: 'list-results-on-branch',
    text: `select ${resultColumns},
             d.attempt is not null and w.head_branch = $4 and coalesce(w.head_repository, w.repository) = w.repository as "isOwn"
           from (
             select * from workflow_runs w
             where w.integration_id = $1 and w.branch_key = hashtextextended($4::text, 0)
               and w.created_at >= $2 and w.created_at < $3
             order by w.created_at desc, w.run_id desc limit ${maxResults}) w
           left join lateral (${decidedBefore('w')}) d on true
           order by w.created_at desc, w.run_id desc`,
    values: [integrationId, ...timeValues(window), branch],
  });
  const isCut = new Set(rows.map(({ runId }) => runId)).size === maxResults;
  return { results: rows.filter(({ isOwn }) => isOwn), from: isCut ? rows.at(-1)!.createdAt : 0 };
}

/** Since when the state of a workflow on the default branch is known. */
export interface KnownSince {
  repository: string;
  workflow: string;
  at: number;
}

/** The first result of each workflow in the window. */
export function listKnownSince(tx: Tx, integrationId: string, window: Window): Promise<KnownSince[]> {
  const ofDefault = 'w.on_default_branch';
  return tx.rows<KnownSince>({
    name: 'list-known-since',
    text: `with recursive keys as (${walk(ofDefault)})
           select f.repository, coalesce(f.workflow_name, '') as workflow, ${ms('f.completed_at')} as at
           from keys k cross join lateral (
             select w.repository, w.workflow_name, d.completed_at from (
               select * from workflow_runs w
               where w.integration_id = $1 and ${ofDefault} and w.workflow_key = k.workflow_key
                 and w.created_at >= $2 and w.created_at < $3
               order by w.created_at, w.run_id limit ${maxScanned}) w
             cross join lateral (${decidedBefore('w')} order by completed_at limit 1) d
             order by w.created_at, w.run_id limit 1) f`,
    values: [integrationId, ...timeValues(window)],
  });
}

/** When the oldest stored run was created. */
export async function findOldestRun(tx: Tx, integrationId: string): Promise<number | undefined> {
  return tx.value<number>({
    name: 'find-oldest-run',
    text: `select ${ms('created_at')} from workflow_runs where integration_id = $1
           order by created_at, run_id limit 1`,
    values: [integrationId],
  });
}

export interface HiddenName {
  repository: string;
  workflow: string;
}

export function listHiddenNames(tx: Tx, integrationId: string): Promise<HiddenName[]> {
  return tx.rows<HiddenName>({
    name: 'list-hidden-names',
    text: 'select repository, workflow from hidden_workflows where integration_id = $1',
    values: [integrationId],
  });
}

export interface MergedRow {
  repository: string;
  number: number;
  title: string | null;
  url: string | null;
  createdAt: number | null;
  mergedAt: number;
}

/** More are left out, the oldest first. */
const maxMerged = 5000;

/** Pull requests that were merged in the span into the branch, or into the default branch of their repository, newest first. */
export function listMerged(
  tx: Tx,
  integrationId: string,
  span: Window,
  { branch, repository }: { branch?: string | undefined; repository?: string | undefined },
): Promise<MergedRow[]> {
  return tx.rows<MergedRow>({
    name: 'list-merged',
    text: `select p.repository, p.number::float8 as number, p.title, p.url, ${ms('p.created_at')} as "createdAt",
             ${ms('p.merged_at')} as "mergedAt"
           from (
             select * from pull_requests p
             where p.integration_id = $1 and p.merged_at is not null and p.merged_at >= $2 and p.merged_at < $3
             order by p.merged_at desc limit ${maxMerged}) p
           left join lateral (
             select r.default_branch from repositories r
             where r.integration_id = $1 and r.repository = p.repository limit 1) r on true
           where p.base_branch = coalesce($4::text, r.default_branch, p.base_branch)
             and p.repository = coalesce($5::text, p.repository)
           order by p.merged_at desc, p.number desc`,
    values: [integrationId, ...timeValues(span), branch, repository],
  });
}
