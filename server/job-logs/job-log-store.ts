import type { JobLog } from '#contract/failures/job-log.ts';
import type { Role } from '#contract/members/roles.ts';
import type { ErrorCode } from '#contract/base/errors.ts';
import type { Tx } from '#platform/database/database.ts';
import type { JobStep } from '#contract/runs/runs.ts';
import { decodeSteps } from '#server/runs/objects/steps.ts';

export interface LogKey {
  integrationId: string;
  runId: number;
  attempt: number;
  jobId: number;
}

const keyOf = ({ integrationId, runId, attempt, jobId }: LogKey) => [integrationId, runId, attempt, jobId];
const isLog = 'integration_id = $1 and run_id = $2 and attempt = $3 and job_id = $4';

/** Who asks: the role that they have, and the one that reading logs needs. */
export function findLogRoles(
  tx: Tx,
  integrationId: string,
  actorId: string,
): Promise<{ needed: Role; role: Role } | undefined> {
  return tx.row<{ needed: Role; role: Role }>({
    name: 'find-log-roles',
    text: `select i.log_role as needed, a.role from integrations i join actors a using (integration_id)
           where i.integration_id = $1 and a.actor_id = $2`,
    values: [integrationId, actorId],
  });
}

export interface LoggedJob {
  attempt: number;
  repository: string;
  steps: JobStep[];
  conclusion: string | null;
  /** Also when only its run is known to be over. */
  isOver: boolean;
  /** It ended some seconds ago, so the forge may not have the whole log yet. */
  isFresh: boolean;
}

/** The newest attempt of a job: a forge keeps no other log under its id. */
export async function findLoggedJob(
  tx: Tx,
  integrationId: string,
  runId: number,
  jobId: number,
): Promise<LoggedJob | undefined> {
  const row = await tx.row<Omit<LoggedJob, 'steps'> & { steps: string }>({
    name: 'find-logged-job',
    text: `select j.attempt, j.repository, j.steps::text as steps, j.conclusion,
             j.status = 'completed' or coalesce(r.status = 'completed' and r.attempt >= j.attempt, false) as "isOver",
             coalesce(j.completed_at > now() - interval '20 seconds', false) as "isFresh"
           from workflow_jobs j left join workflow_runs r on r.integration_id = j.integration_id and r.run_id = j.run_id
           where j.integration_id = $1 and j.run_id = $2 and j.job_id = $3 order by j.attempt desc limit 1`,
    values: [integrationId, runId, jobId],
  });
  return row && { ...row, steps: decodeSteps(row.steps) };
}

export interface LogFailure {
  code: ErrorCode;
  detail: string;
}

export interface LogRow extends Pick<JobLog, 'state' | 'lines' | 'bytes' | 'missing'> {
  failure: LogFailure | null;
  outline: Buffer | null;
  /** A process is reading it. */
  isLeased: boolean;
  /** Until it is read again. Null: never. Negative when it may be read now. */
  freshMs: number | null;
}

export async function findLog(tx: Tx, key: LogKey): Promise<LogRow | undefined> {
  const row = await tx.row<Omit<LogRow, 'bytes'> & { bytes: string }>({
    name: 'find-job-log',
    text: `select state, lines, bytes, missing, failure, sealed_outline as outline,
             coalesce(leased_until > now(), false) as "isLeased",
             (extract(epoch from fresh_until - now()) * 1000)::float8 as "freshMs"
           from job_logs where ${isLog}`,
    values: keyOf(key),
  });
  return row && { ...row, bytes: Number(row.bytes) };
}

const lease = `now() + interval '45 seconds'`;

/** False when another process reads it. */
export function claimLog(tx: Tx, key: LogKey): Promise<boolean> {
  return tx.some(
    `insert into job_logs as l (integration_id, run_id, attempt, job_id, state, leased_until)
     values ($1, $2, $3, $4, 'reading', ${lease})
     on conflict (integration_id, run_id, attempt, job_id) do update set leased_until = excluded.leased_until, opened_at = now(), failure = null,
       state = case when l.lines = 0 then 'reading' else l.state end
     where l.leased_until is null or l.leased_until <= now()
     returning 1`,
    keyOf(key),
  );
}

/** Keeps a log that people look at. */
export async function noteOpened(tx: Tx, key: LogKey): Promise<void> {
  await tx.query({
    name: 'note-log-opened',
    text: `update job_logs set opened_at = now() where ${isLog} and opened_at < now() - interval '1 minute'`,
    values: keyOf(key),
  });
}

export interface StoredPart {
  part: number;
  firstLine: number;
  lines: number;
  sealed: Buffer;
}

/** Stores parts, or the longer form of a part that grew, and tells how far the log is read. */
export async function storeParts(
  tx: Tx,
  key: LogKey,
  parts: readonly StoredPart[],
  { lines, bytes, outline }: { lines: number; bytes: number; outline: Buffer | undefined },
): Promise<void> {
  for (const { part, firstLine, lines: count, sealed } of parts)
    void tx.query({
      name: 'store-log-part',
      text: `insert into job_log_parts (integration_id, run_id, attempt, job_id, part, first_line, lines, sealed_lines)
             values ($1, $2, $3, $4, $5, $6, $7, $8)
             on conflict (integration_id, run_id, attempt, job_id, part)
             do update set first_line = excluded.first_line, lines = excluded.lines, sealed_lines = excluded.sealed_lines`,
      values: [...keyOf(key), part, firstLine, count, sealed],
    });
  // A log that is read again does not shrink while it is read.
  await tx.query({
    name: 'store-log-progress',
    text: `update job_logs set lines = greatest(lines, $5), bytes = greatest(bytes, $6), leased_until = ${lease},
             sealed_outline = coalesce($7, sealed_outline) where ${isLog}`,
    values: [...keyOf(key), lines, bytes, outline ?? null],
  });
}

export interface EndOfReading {
  state: JobLog['state'];
  missing: JobLog['missing'];
  failure: LogFailure | null;
  /** Null: never again. */
  freshMs: number | null;
  /** Of the log. Undefined when nothing was read: then the earlier lines stay. */
  read: { parts: number; lines: number; bytes: number } | undefined;
}

export async function endReading(
  tx: Tx,
  key: LogKey,
  { state, missing, failure, freshMs, read }: EndOfReading,
): Promise<void> {
  if (read !== undefined)
    void tx.query(`delete from job_log_parts where ${isLog} and part >= $5`, [...keyOf(key), read.parts]);
  await tx.query(
    `update job_logs set state = $5, missing = $6, failure = $7, leased_until = null,
       fresh_until = now() + make_interval(secs => $8 / 1000.0), lines = coalesce($9, lines), bytes = coalesce($10, bytes),
       stored_bytes = (select coalesce(sum(octet_length(sealed_lines)), 0) from job_log_parts where ${isLog})
     where ${isLog}`,
    [
      ...keyOf(key),
      state,
      missing,
      failure === null ? null : JSON.stringify(failure),
      freshMs,
      read?.lines ?? null,
      read?.bytes ?? null,
    ],
  );
}

/** Parts with lines from `from` on, in order. */
export async function listParts(
  tx: Tx,
  key: LogKey,
  from: number,
  most: number,
  until = 2 ** 31 - 1,
): Promise<StoredPart[]> {
  return tx.rows<StoredPart>({
    name: 'list-log-parts',
    text: `select part, first_line as "firstLine", lines, sealed_lines as sealed from job_log_parts
           where ${isLog} and first_line + lines > $5 and first_line <= $7 order by part limit $6`,
    values: [...keyOf(key), from, most, until],
  });
}

/** Deletes logs that were opened long ago, and then those opened least recently until the others fit. */
export async function deleteOldLogs(
  tx: Tx,
  integrationId: string,
  { days, bytes }: { days: number; bytes: number },
): Promise<number> {
  return tx.execute(
    `delete from job_logs l using (
       select run_id, attempt, job_id, opened_at,
         sum(stored_bytes) over (order by opened_at desc, job_id desc, run_id, attempt) as total
       from job_logs where integration_id = $1
     ) s
     where l.integration_id = $1 and l.run_id = s.run_id and l.attempt = s.attempt and l.job_id = s.job_id
       and (l.leased_until is null or l.leased_until <= now())
       and (s.opened_at < now() - make_interval(days => $2) or s.total > $3)`,
    [integrationId, days, bytes],
  );
}

export function findLogRole(tx: Tx, integrationId: string): Promise<Role | undefined> {
  return tx.value<Role>('select log_role from integrations where integration_id = $1', [integrationId]);
}

/** Returns the former role; undefined when the integration does not exist. */
export function replaceLogRole(tx: Tx, integrationId: string, role: Role): Promise<Role | undefined> {
  return tx.value<Role>(
    `with former as (select log_role from integrations where integration_id = $1 for update)
     update integrations i set log_role = $2 from former where i.integration_id = $1 returning former.log_role as former`,
    [integrationId, role],
  );
}
