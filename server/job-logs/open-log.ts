import { atLeast } from '#contract/members/roles.ts';
import type { JobLog } from '#contract/failures/job-log.ts';
import type { Tx } from '#platform/database/database.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import type { Actor } from '#server/members/locks/lock-member-role.ts';
import {
  findLog,
  findLoggedJob,
  findLogRoles,
  noteOpened,
  type LogKey,
  type LogRow,
  type LoggedJob,
} from './job-log-store.ts';
import { outlineContext } from './log-parts.ts';
import type { LogReader, ReadLogDeps } from './read-from-forge.ts';

export interface OpenLogDeps extends ReadLogDeps {
  reader: LogReader;
}

export interface OpenedLog {
  key: LogKey;
  row: LogRow;
}

export interface LogPath {
  runId: number;
  jobId: number;
}

/**
 * Finds the log of a job, and begins to read it from the forge when it is not stored or has grown.
 * @throws AppError `insufficient_role`, `not_found`, or why the forge gave no log
 */
export async function openLog(deps: OpenLogDeps, actor: Actor, path: LogPath): Promise<OpenedLog> {
  const { integrationId, actorId } = actor;
  const find = () =>
    deps.db.withScope({ integrationId }, async (tx) => {
      const { key, job } = await findJob(tx, actor, path);
      const [row] = await Promise.all([findLog(tx, key), noteOpened(tx, key)]);
      return { key, job, row };
    });
  let found = await find();
  if (mustRead(found.row)) {
    await deps.reader.read(actorId, found.key, found.job, found.row?.lines ?? 0);
    found = await find();
  }
  const { key, row } = found;
  if (row === undefined)
    throw new AppError('try_again', {
      detail: 'The log is being read from the forge. Send the request again.',
      retryAfterSeconds: 1,
    });
  if (row.failure !== null)
    throw new AppError(row.failure.code, {
      detail: row.failure.detail,
      retryAfterSeconds: Math.max(1, Math.ceil((row.freshMs ?? 0) / 1000)),
    });
  return { key, row };
}

function mustRead(row: LogRow | undefined): boolean {
  if (row === undefined) return true;
  if (row.isLeased) return false;
  return row.state === 'reading' || (row.freshMs !== null && row.freshMs <= 0);
}

async function findJob(
  tx: Tx,
  { integrationId, actorId }: Actor,
  { runId, jobId }: LogPath,
): Promise<{ key: LogKey; job: LoggedJob }> {
  const [roles, job] = await Promise.all([
    findLogRoles(tx, integrationId, actorId),
    findLoggedJob(tx, integrationId, runId, jobId),
  ]);
  if (roles === undefined || !atLeast(roles.role, roles.needed))
    throw new AppError('insufficient_role', {
      detail: `Reading logs requires the role ${roles?.needed ?? 'viewer'} in this integration. An admin can change this in the settings.`,
    });
  if (job === undefined) throw new AppError('not_found', { detail: 'The run has no such job.' });
  return { key: { integrationId, runId, attempt: job.attempt, jobId }, job };
}

/** How soon more lines of a log that is being read are expected. */
const readingEveryMs = 400;

export function jobLogOf({ sealer }: ReadLogDeps, { key, row }: OpenedLog): JobLog {
  const { state, lines, bytes, missing, outline, isLeased, freshMs } = row;
  const isReading = isLeased && state !== 'live';
  const { sections, errorLines } =
    outline === null
      ? { sections: [], errorLines: [] }
      : (JSON.parse(sealer.open(outline, outlineContext(key)).toString()) as Pick<
          JobLog,
          'sections' | 'errorLines'
        >);
  const pollAfterMs = isLeased ? readingEveryMs : freshMs;
  return {
    state: isReading ? 'reading' : state,
    lines,
    bytes,
    missing,
    pollAfterMs: pollAfterMs === null ? null : Math.max(readingEveryMs, Math.ceil(pollAfterMs)),
    sections,
    errorLines,
  };
}
