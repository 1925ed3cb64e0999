import type { Tx } from '#platform/database/database.ts';
import { joinResult } from './stored-result.ts';
import { mostWorkflows, walk } from './stored-workflows.ts';

/** Identifies a workflow of the integration. */
export interface WorkflowName {
  repository: string;
  workflow: string;
}

/** A workflow on a branch, and its newest run that says whether it is broken. */
export interface WorkflowState extends WorkflowName {
  /** One of its newest runs is not completed. */
  isRunning: boolean;
  last: DecidedRun | null;
}

interface DecidedRun {
  runId: number;
  runNumber: number | null;
  attempt: number;
  conclusion: string;
  branch: string | null;
  title: string | null;
  errorLine: string | null;
  createdAt: string;
  completedAt: string | null;
}

/** Undefined fields select all. */
export interface StateSelection {
  /** Default: the default branch of each repository. */
  branch?: string | undefined;
  repositories?: readonly string[] | undefined;
  workflows?: readonly string[] | undefined;
  /** Exactly these workflows, in any order. */
  names?: readonly WorkflowName[] | undefined;
  /** The workflows whose newest run began last. */
  most?: number | undefined;
  /** Milliseconds. Workflows are stale as of this time. Default: now. */
  now?: number | undefined;
}

/** A workflow without a run for this time is stale: nobody can tell whether it would still fail. */
export const staleAfterDays = 30;

/** The newest runs of a workflow that are searched for one that decides, or for one of the branch. */
const maxScanned = 200;

/** The newest runs of a workflow that are searched for one that is not completed. */
const maxRunning = 30;

/**
 * The workflows whose newest run began last, first. Stale and hidden ones are left out, unless they are named: then nothing decides.
 */
export function listWorkflowStates(
  tx: Tx,
  integrationId: string,
  { branch, repositories, workflows, names, most = mostWorkflows, now = Date.now() }: StateSelection,
): Promise<WorkflowState[]> {
  const ofBranch = branch === undefined ? 'w.on_default_branch' : 'true';
  const scanned = (runs: number): string => `
    select * from workflow_runs w where w.integration_id = $1 and ${ofBranch} and w.workflow_key = k.workflow_key
    order by w.created_at desc, w.run_id desc limit ${runs}`;
  // Runs of a branch that was the default branch before say nothing about the default branch.
  const isOfBranch =
    branch === undefined
      ? `$2::text is null and w.head_branch is not distinct from coalesce((
           select p.default_branch from repositories p
           where p.integration_id = $1 and p.repository = w.repository), w.head_branch)`
      : 'w.head_branch = $2';
  const newestFirst = 'order by w.created_at desc, w.run_id desc limit 1';
  return tx.rows<WorkflowState>({
    name: `list-workflow-states ${branch === undefined} ${names === undefined}`,
    text: `with recursive keys as (${names === undefined ? walk(ofBranch) : named})
           select n.repository, coalesce(n.workflow_name, '') as workflow,
             k.workflow_key in (select workflow_key from workflow_runs where integration_id = $1 and completed_at is null)
               and exists (select from (${scanned(maxRunning)}) w where ${isOfBranch} and w.status <> 'completed') as "isRunning",
             case when d.run_id is not null and ${isShown} then json_build_object('runId', d.run_id, 'runNumber', d.run_number,
               'attempt', d.result_attempt, 'conclusion', d.result, 'branch', d.head_branch, 'title', d.title,
               'errorLine', d.error_line, 'createdAt', ${isoTime('d.created_at')},
               'completedAt', ${isoTime('d.result_at')}) end as last
           from keys k
           cross join lateral (select w.* from (${scanned(maxScanned)}) w where ${isOfBranch} ${newestFirst}) n
           left join lateral (
             select w.*, result.attempt as result_attempt, result.conclusion as result, result.completed_at as result_at
             from (${scanned(maxScanned)}) w ${joinResult('w')}
             where ${isOfBranch} and result.attempt is not null ${newestFirst}) d on true
           where ($6::text[] is not null or ${isShown})
             and ($3::text[] is null or n.repository = any ($3))
             and ($4::text[] is null or coalesce(n.workflow_name, '') = any ($4))
             and $7::text[] is not distinct from $7
           order by n.created_at desc limit $5`,
    values: [
      integrationId,
      branch ?? null,
      repositories ?? null,
      workflows ?? null,
      most,
      names?.map(({ repository }) => repository) ?? null,
      names?.map(({ workflow }) => workflow) ?? null,
      new Date(now),
    ],
  });
}

/** The workflow of the newest run `n` is neither stale nor hidden. */
const isShown = `(n.created_at > $8::timestamptz - interval '${staleAfterDays} days' and not exists (
  select from hidden_workflows h where h.integration_id = $1 and h.repository = n.repository
    and h.workflow = coalesce(n.workflow_name, '')))`;

/** `offset 0` computes the keys first: with row-level security, a function in the condition would prevent the index scan. */
const named = `
  select hashtextextended(n.workflow, hashtextextended(n.repository, 0)) as workflow_key
  from unnest($6::text[], $7::text[]) n (repository, workflow) offset 0`;

const isoTime = (column: string): string =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

export async function findLabel(tx: Tx, integrationId: string): Promise<string> {
  const label = await tx.value<string>('select label from integrations where integration_id = $1', [
    integrationId,
  ]);
  return label ?? '';
}
