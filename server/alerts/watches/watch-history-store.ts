import type { Tx } from '#platform/database/database.ts';
import { literals } from '#platform/database/rows/literals.ts';
import { isHidden } from '#server/alerts/evaluation/completion-facts.ts';
import { branchOf } from '#contract/runs/merge-group.ts';
import { endOfAttempt, heldStatuses } from '#server/runs/open-runs.ts';
import type { QueuedJob } from './long-queues.ts';
import type { StartedRun } from './missing-runs.ts';
import type { TimedRun } from './slower-runs.ts';

/** The newest rows that are read: enough for a month of most teams, and few enough not to block the event loop. */
const maxRows = 10_000;

/** A rule names labels of this length. The labels of a job can have 25 KB, which are 250 MB in all rows. */
const maxLabelLength = 100;
const maxLabels = 20;

const isShown = (row: string): string => `not ${isHidden(`${row}.repository`, `${row}.workflow_name`)}`;

interface PlaceRow {
  run_id: string;
  attempt: number;
  repository: string;
  workflow_name: string | null;
  head_branch: string | null;
  head_repository: string | null;
  url: string | null;
  on_default_branch: boolean;
}

function placeOf(row: PlaceRow) {
  return {
    repository: row.repository,
    workflow: row.workflow_name,
    branch: branchOf(row.head_branch, row.head_repository, row.repository),
    onDefaultBranch: row.on_default_branch,
    runId: Number(row.run_id),
    attempt: row.attempt,
    url: row.url,
  };
}

/** In the order of their start. */
export async function listStartedRuns(tx: Tx, integrationId: string, since: Date): Promise<StartedRun[]> {
  const { rows } = await tx.query<PlaceRow & { event: string | null; created_at: Date }>(
    `select run_id, attempt, repository, workflow_name, head_branch, head_repository, on_default_branch, url, event,
            created_at
     from workflow_runs r where integration_id = $1 and created_at >= $2 and ${isShown('r')}
     order by created_at desc, run_id desc limit ${maxRows}`,
    [integrationId, since],
  );
  return rows.reverse().map((row) => ({ ...placeOf(row), event: row.event, at: row.created_at.getTime() }));
}

interface JobRow extends PlaceRow {
  job_id: string;
  name: string;
}

const ended = endOfAttempt({ job: 'j', run: 'r', attempt: 'a' });

/** Jobs that wait for a runner, or waited, for over a minute, which is the least that a rule can ask for. */
export async function listQueuedJobs(tx: Tx, integrationId: string, since: Date): Promise<QueuedJob[]> {
  const { rows } = await tx.query<
    JobRow & {
      labels: string[];
      created_at: Date;
      started_at: Date | null;
      completed_at: Date | null;
      attempt_ended_at: Date | null;
    }
  >(
    `select j.run_id, j.attempt, j.job_id, j.repository, j.workflow_name, coalesce(j.head_branch, r.head_branch) as head_branch,
            r.head_repository, coalesce(r.on_default_branch, j.on_default_branch) as on_default_branch, j.url, j.name, j.created_at, j.started_at, j.completed_at,
            ${ended} as attempt_ended_at,
            array(select left(label, ${maxLabelLength}) from unnest(j.labels) label order by label collate "C" limit ${maxLabels}) as labels
     from (select * from workflow_jobs where integration_id = $1 order by run_id desc limit ${maxRows}) j
     left join workflow_runs r on r.integration_id = $1 and r.run_id = j.run_id
     left join workflow_run_attempts a on a.integration_id = $1 and a.run_id = j.run_id and a.attempt = j.attempt
     where j.created_at >= $2 and coalesce(j.started_at, j.completed_at, ${ended}, now()) > j.created_at + interval '1 minute'
       and j.status not in ${literals(heldStatuses)}`,
    [integrationId, since],
  );
  return rows.map((row) => ({
    ...placeOf(row),
    jobId: Number(row.job_id),
    name: row.name,
    labels: row.labels,
    queuedAt: row.created_at.getTime(),
    endedAt: (row.started_at ?? row.completed_at ?? row.attempt_ended_at)?.getTime() ?? null,
  }));
}

/** Successful runs or jobs in the order of their end. */
export async function listTimedRuns(
  tx: Tx,
  integrationId: string,
  since: Date,
  subject: 'workflow' | 'job',
): Promise<TimedRun[]> {
  const { rows } = await tx.query<
    PlaceRow & { job_id: string | null; name: string | null; started_at: Date; completed_at: Date }
  >(
    subject === 'workflow'
      ? `select run_id, attempt, null as job_id, null as name, repository, workflow_name, head_branch, head_repository,
                on_default_branch, url, started_at, completed_at
         from (select * from workflow_runs where integration_id = $1 and created_at >= $2
               order by created_at desc, run_id desc limit ${maxRows}) r
         where conclusion = 'success' and started_at is not null and completed_at is not null and ${isShown('r')}
         order by completed_at, run_id`
      : `select j.run_id, j.attempt, j.job_id, j.name, j.repository, j.workflow_name,
                coalesce(j.head_branch, r.head_branch) as head_branch, r.head_repository,
                coalesce(r.on_default_branch, j.on_default_branch) as on_default_branch, j.url, j.started_at, j.completed_at
         from (select * from workflow_jobs where integration_id = $1 order by run_id desc limit ${maxRows}) j
         left join workflow_runs r on r.integration_id = $1 and r.run_id = j.run_id
         where j.conclusion = 'success' and j.started_at is not null and j.completed_at >= $2 and ${isShown('j')}
         order by j.completed_at, j.job_id`,
    [integrationId, since],
  );
  return rows.map((row) => ({
    ...placeOf(row),
    jobId: row.job_id === null ? null : Number(row.job_id),
    job: row.name,
    endedAt: row.completed_at.getTime(),
    ms: Math.max(0, row.completed_at.getTime() - row.started_at.getTime()),
  }));
}
