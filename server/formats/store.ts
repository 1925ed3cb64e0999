import { literals } from '#platform/database/rows/literals.ts';
import { decidedConclusions } from '#contract/runs/conclusions.ts';
import type { Incident } from '#contract/alerts/incidents.ts';
import type { Tx } from '#platform/database/database.ts';

export interface WorkflowState {
  repository: string;
  workflow: string;
  /** Of the newest run. */
  status: string;
  /** Of the newest completed run that succeeded or failed. Null when there is none among the scanned runs. */
  conclusion: string | null;
  runId: number | null;
  runNumber: number | null;
  completedAt: Date | null;
}

/** More workflows are left out. */
const maxWorkflows = 500;

/** The runs of a workflow that are searched for one on the branch. */
const maxScanned = 200;

/**
 * The newest runs of each workflow on a branch, or on the default branch. Walks the index from one workflow to the next, so
 * the time depends on the number of workflows and not on the number of runs.
 */
export async function listWorkflowStates(
  tx: Tx,
  integrationId: string,
  { branch, repository }: { branch: string | undefined; repository: string | undefined },
): Promise<WorkflowState[]> {
  const ofBranch = branch === undefined ? 'w.on_default_branch' : 'true';
  return tx.rows<WorkflowState>({
    name: `list-workflow-states ${branch === undefined}`,
    text: `with recursive keys as (
             (select w.workflow_key, 1 as n from workflow_runs w where w.integration_id = $1 and ${ofBranch}
              order by w.workflow_key limit 1)
             union all
             select (select w.workflow_key from workflow_runs w
                     where w.integration_id = $1 and ${ofBranch} and w.workflow_key > k.workflow_key
                     order by w.workflow_key limit 1), k.n + 1
             from keys k where k.workflow_key is not null and k.n < ${maxWorkflows}
           )
           select newest.repository, coalesce(newest.workflow_name, '') as workflow, newest.status, last.conclusion,
             last.run_id::float8 as "runId", last.run_number::float8 as "runNumber",
             last.completed_at as "completedAt"
           from keys k
           cross join lateral (
             select array(
               select w.run_id from workflow_runs w
               where w.integration_id = $1 and ${ofBranch} and w.workflow_key = k.workflow_key
               order by w.created_at desc, w.run_id desc limit ${maxScanned}) as run_ids) scanned
           cross join lateral (
             select * from workflow_runs w
             where w.integration_id = $1 and w.run_id = any (scanned.run_ids)
               and ($2::text is null or w.head_branch = $2)
             order by w.created_at desc, w.run_id desc limit 1) newest
           left join lateral (
             select * from workflow_runs w
             where w.integration_id = $1 and w.run_id = any (scanned.run_ids)
               and ($2::text is null or w.head_branch = $2) and w.status = 'completed'
               and w.conclusion in ${literals(decidedConclusions)}
             order by w.created_at desc, w.run_id desc limit 1) last on true
           where $3::text is null or newest.repository = $3
           order by newest.repository, workflow`,
    values: [integrationId, branch ?? null, repository ?? null],
  });
}

export interface FeedIncident extends Pick<Incident, 'kind' | 'subject' | 'closeReason'> {
  incidentId: string;
  /** What did not happen, for kinds other than `failure`. */
  evidence: string | null;
  repository: string;
  workflow: string | null;
  branch: string | null;
  failedRuns: number;
  failedJobs: number;
  openedAt: Date;
  closedAt: Date | null;
  /** Of the last failure, or of the recovery. */
  updatedAt: Date;
}

/** Newest first. */
export function listFeedIncidents(tx: Tx, integrationId: string, limit: number): Promise<FeedIncident[]> {
  return tx.rows<FeedIncident>(
    `select incident_id as "incidentId", kind, subject, close_reason as "closeReason",
       last_failure ->> 'name' as evidence, repository, workflow, branch, failed_runs as "failedRuns",
       failed_jobs as "failedJobs", opened_at as "openedAt", closed_at as "closedAt",
       coalesce(closed_at, (last_failure ->> 'at')::timestamptz, opened_at) as "updatedAt"
     from incidents where integration_id = $1 order by opened_at desc, incident_id desc limit $2`,
    [integrationId, limit],
  );
}

export async function findLabel(tx: Tx, integrationId: string): Promise<string> {
  const label = await tx.value<string>('select label from integrations where integration_id = $1', [
    integrationId,
  ]);
  return label ?? '';
}
