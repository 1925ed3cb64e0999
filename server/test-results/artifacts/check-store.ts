import type { Tx } from '#platform/database/database.ts';
import { columnsOf } from '#platform/database/rows/columns-of.ts';
import { joinConnections, keyOfJoined } from '#server/forge-tasks/joined-connections.ts';
import { requestsOf } from '#server/tasks/request-tasks.ts';
import type { ArtifactsOfAttempt } from '../arrival/receive-report.ts';
import { ofOtherWay } from '../storing/report-store.ts';

/** An attempt whose artifacts may hold reports. */
export interface AttemptToCheck {
  integrationId: string;
  runId: number;
  attempt: number;
  repository: string;
}

/** Notes attempts and requests the tasks that look at them. Those that no connection sees are left out, and those that were noted before. */
export async function insertChecks(tx: Tx, attempts: readonly AttemptToCheck[]): Promise<void> {
  await tx.query({
    name: 'insert-artifact-checks',
    text: `with stored as (
             insert into artifact_checks (integration_id, run_id, attempt, repository)
             select c.*
             from unnest($1::uuid[], $2::bigint[], $3::integer[], $4::text[]) as c (integration_id, run_id, attempt, repository)
             join integrations i using (integration_id)
             where i.artifact_patterns <> '{}' and exists (select from (select) one ${joinConnections('c')})
             on conflict (integration_id, run_id, attempt) do nothing
             returning integration_id, repository)
           ${requestsOf(`select distinct c.integration_id, 'forge-artifacts', ${keyOfJoined},
             now() from stored c ${joinConnections('c')}`)}`,
    values: columnsOf(attempts, 'integrationId', 'runId', 'attempt', 'repository'),
  });
}

/** What is to be looked at now, with what it is compared with. */
export interface DueCheck {
  runId: number;
  attempt: number;
  /** The newest name, for the forge. */
  repository: string;
  tries: number;
  readIds: number[];
  /** What the artifacts that were read told. */
  knownResults: Uint8Array;
  patterns: string[];
  /** Reports of the attempt were uploaded. Those in artifacts would not be stored. */
  hasUploads: boolean;
  startedAt: Date | null;
  /** When the attempt completed, or the next one started. */
  endedAt: Date | null;
}

export function listDueChecks(
  tx: Tx,
  integrationId: string,
  installationId: string | null,
  most: number,
): Promise<DueCheck[]> {
  return tx.rows<DueCheck>({
    name: 'list-due-artifact-checks',
    text: `select c.run_id::float8 as "runId", c.attempt, l.repository, c.tries, c.read_ids::float8[] as "readIds",
             c.known_results as "knownResults",
             i.artifact_patterns as patterns,
             exists (select from test_reports r where ${ofOtherWay('c.run_id', 'c.attempt', 'true', 'w.repository_key')}) as "hasUploads",
             case when w.attempt = c.attempt then w.started_at else a.started_at end as "startedAt",
             least(case when w.attempt = c.attempt then w.completed_at else a.completed_at end + interval '1 minute', case when w.attempt > c.attempt then w.started_at end, (
               select min(n.started_at) from workflow_run_attempts n
               where n.integration_id = $1 and n.run_id = c.run_id and n.attempt > c.attempt)) as "endedAt"
           from artifact_checks c
           join integrations i on i.integration_id = $1
           ${joinConnections('c')}
           join workflow_runs w on w.integration_id = $1 and w.run_id = c.run_id
           left join workflow_run_attempts a on a.integration_id = $1 and a.run_id = c.run_id and a.attempt = c.attempt
           where c.integration_id = $1 and c.due_at <= now() and l.installation_id is not distinct from $2::bigint
           order by c.due_at limit $3`,
    values: [integrationId, installationId, most],
  });
}

/** Until the next check of the connection is due; below zero if it is. Null if none is. */
export function nextCheckInMs(
  tx: Tx,
  integrationId: string,
  installationId: string | null,
): Promise<number | null | undefined> {
  return tx.value<number | null>(
    `select (extract(epoch from min(c.due_at) - now()) * 1000)::float8
     from artifact_checks c ${joinConnections('c')}
     where c.integration_id = $1 and c.due_at is not null and l.installation_id is not distinct from $2::bigint`,
    [integrationId, installationId],
  );
}

type CheckKey = Pick<AttemptToCheck, 'runId' | 'attempt'>;
const thisCheck = 'integration_id = $1 and run_id = $2 and attempt = $3';
const keyOf = (integrationId: string, { runId, attempt }: CheckKey) => [integrationId, runId, attempt];

/** Notes that an artifact was read or refused. */
export async function noteArtifact(
  tx: Tx,
  integrationId: string,
  check: CheckKey,
  artifactId: number,
  { knownResults }: ArtifactsOfAttempt,
): Promise<void> {
  await tx.query(
    `update artifact_checks set read_ids = read_ids || $4::bigint, known_results = $5 where ${thisCheck}`,
    [...keyOf(integrationId, check), artifactId, Buffer.from(knownResults)],
  );
}

/** Returns whether nothing else of the repository had the problem in the last 24 hours. */
export function noteProblem(
  tx: Tx,
  integrationId: string,
  check: CheckKey,
  problem: string,
): Promise<boolean> {
  return tx.some({
    text: `with noted as (
             update artifact_checks set problems = problems || $4::text where ${thisCheck} and not $4 = any (problems)
             returning repository)
           select from noted where not exists (
             select from artifact_checks o where o.integration_id = $1 and o.noted_at > now() - interval '24 hours'
               and o.repository = noted.repository and (o.run_id, o.attempt) <> ($2, $3) and $4 = any (o.problems))`,
    values: [...keyOf(integrationId, check), problem],
  });
}

/** Counts a try. Without `waitMs` the check is over. */
export async function rescheduleCheck(
  tx: Tx,
  integrationId: string,
  check: CheckKey,
  waitMs: number | null,
): Promise<void> {
  await tx.query(
    `update artifact_checks set tries = tries + 1, due_at = now() + $4 * interval '1 ms',
       known_results = case when $4::float8 is null then '' else known_results end
     where ${thisCheck}`,
    [...keyOf(integrationId, check), waitMs],
  );
}

export function findPatterns(tx: Tx, integrationId: string): Promise<string[] | undefined> {
  return tx.value<string[]>('select artifact_patterns from integrations where integration_id = $1', [
    integrationId,
  ]);
}

/** Returns the former patterns; undefined when the integration does not exist. */
export function replacePatterns(
  tx: Tx,
  integrationId: string,
  patterns: readonly string[],
): Promise<string[] | undefined> {
  return tx.value<string[]>(
    `with former as (select artifact_patterns from integrations where integration_id = $1 for update)
     update integrations i set artifact_patterns = $2 from former where i.integration_id = $1 returning former.artifact_patterns`,
    [integrationId, patterns],
  );
}
