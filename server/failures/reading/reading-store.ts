import type { JobStep } from '#contract/runs/runs.ts';
import type { Tx } from '#platform/database/database.ts';
import { columnsOf } from '#platform/database/rows/columns-of.ts';
import { joinConnections } from '#server/forge-tasks/joined-connections.ts';
import { decodeSteps } from '#server/runs/objects/steps.ts';
import { failureWaits, knowsRun, type PendingFailure } from '../storing/pending-store.ts';

/** Jobs with the connections that see their repository: an installation, or null for the access token. */
const connected = `workflow_jobs j ${joinConnections('j')}`;
const jobOfPending = `j.integration_id = $1 and j.run_id = p.run_id and j.attempt = p.attempt and j.job_id = p.job_id`;

/** Pending failures that are looked at, oldest first. */
const maxScanned = 200;

/** Those whose log may be read now. */
const due = `select p.* from pending_failures p where p.group_id = $1 and p.waits_for_log and p.due_at <= now()
  and ${knowsRun('p', String(failureWaits.runMs))} order by p.due_at limit ${maxScanned}`;

/** The connections that see the repositories of failures whose log is due. */
export function listWaitingConnections(tx: Tx, integrationId: string): Promise<(string | null)[]> {
  return tx.column<string | null>({
    name: 'list-waiting-connections',
    text: `select distinct l.installation_id::text as id from (${due}) p
           join (${connected}) on ${jobOfPending}`,
    values: [integrationId],
  });
}

export interface DueFailure extends PendingFailure {
  /** Its newest name at the forge. */
  repository: string;
  steps: JobStep[];
  tries: number;
  isCancelled: boolean;
}

/** The failures of a connection's repositories whose log is due, least tried first. Cancelled jobs come last. */
export async function listDue(
  tx: Tx,
  integrationId: string,
  installationId: string | null,
  most: number,
): Promise<DueFailure[]> {
  const rows = await tx.rows<Omit<DueFailure, 'steps'> & { steps: string }>({
    name: 'list-due-failures',
    text: `select p.run_id::float8 as "runId", p.attempt, p.job_id::float8 as "jobId", l.repository, j.steps::text as steps,
             p.tries, p.is_cancelled as "isCancelled"
           from (${due}) p
           join (${connected}) on ${jobOfPending}
           where l.installation_id is not distinct from $2::bigint order by p.is_cancelled, p.tries, p.noted_at limit $3`,
    values: [integrationId, installationId, most],
  });
  return rows.map((row) => ({ ...row, steps: decodeSteps(row.steps) }));
}

/** Counts a try and schedules the next one. */
export async function rescheduleReading(
  tx: Tx,
  integrationId: string,
  { runId, attempt, jobId }: PendingFailure,
  waitMs: number,
): Promise<void> {
  await tx.query(
    `update pending_failures set tries = tries + 1, due_at = now() + make_interval(secs => $5 / 1000.0)
     where group_id = $1 and run_id = $2 and attempt = $3 and job_id = $4`,
    [integrationId, runId, attempt, jobId, waitMs],
  );
}

/** Returns those that were pending: another process has stored the reasons of the others. */
export async function deletePending<Failure extends PendingFailure>(
  tx: Tx,
  integrationId: string,
  failures: readonly Failure[],
): Promise<Failure[]> {
  const { rows } = await tx.query<{ position: number }>({
    name: 'delete-pending-failures',
    text: `delete from pending_failures p
           using unnest($2::bigint[], $3::integer[], $4::bigint[]) with ordinality as f (run_id, attempt, job_id, position)
           where p.group_id = $1 and p.run_id = f.run_id and p.attempt = f.attempt and p.job_id = f.job_id
           returning f.position::int`,
    values: [integrationId, ...columnsOf(failures, 'runId', 'attempt', 'jobId')],
  });
  const positions = new Set(rows.map(({ position }) => position));
  return failures.filter((_, index) => positions.has(index + 1));
}
