import type { JobListItem, JobQuery } from '#contract/runs/jobs.ts';
import { splitValues } from '#contract/base/value-list.ts';
import type { Tx } from '#platform/database/database.ts';
import { decodeCursor, encodeCursor, defaultLimit } from '#platform/http/page-cursor.ts';
import { jobObject, type JobRow } from '#server/runs/objects/job.ts';
import {
  findLastScannedJob,
  hasQueueTime,
  listJobsByCompletion,
  type JobFilterSql,
} from './job-list-store.ts';
import { isFlip } from './stored-earlier-result.ts';

/** Jobs scanned for one page, so that a filter with few matches does not read the whole history. */
const maxScanned = 4000;

/**
 * Lists completed jobs, the last completed first. A page with few matches ends at the scan limit, with a cursor to continue from.
 * @throws AppError `invalid_request` when the cursor is invalid.
 */
export async function listJobs(
  tx: Tx,
  integrationId: string,
  query: JobQuery,
  scanLimit = maxScanned,
): Promise<{ items: JobListItem[]; nextCursor: string | null }> {
  const limit = query.limit ?? defaultLimit;
  const filter = jobFilter(integrationId, query);
  const most = Math.max(scanLimit, limit + 1);
  const rows = await listJobsByCompletion(tx, filter, most, limit + 1);
  const last =
    rows.length > limit ? positionOf(rows[limit - 1]!) : await findLastScannedJob(tx, filter, most);
  return {
    items: rows.slice(0, limit).map(itemOf),
    nextCursor: last === undefined ? null : encodeCursor(last),
  };
}

function itemOf(row: JobRow): JobListItem {
  const { steps: _, ...item } = jobObject(row);
  return item;
}

function positionOf({ completedAt, jobId }: JobRow): { at: string; id: string } {
  return { at: String(completedAt), id: String(jobId) };
}

/** The same as `runnerClass` in server/rollups/rollups.ts. */
const runnerClass = String.raw`regexp_replace(regexp_replace(j.runner_name, '^(GitHub Actions) \d+$', '\1'),
  '-[a-z0-9]{5}-runner-[a-z0-9]{5}$', '')`;

function jobFilter(integrationId: string, query: JobQuery): JobFilterSql {
  const values: unknown[] = [];
  const add = (value: unknown) => `$${values.push(value)}`;
  const time = (value: string) =>
    `${add(new Date(Math.max(0, Date.parse(value) || 0)).toISOString())}::timestamptz`;
  const source = [`j.integration_id = ${add(integrationId)}::uuid`, `j.completed_at is not null`];
  if (query.completedFrom !== undefined) source.push(`j.completed_at >= ${time(query.completedFrom)}`);
  if (query.completedTo !== undefined) source.push(`j.completed_at < ${time(query.completedTo)}`);
  if (query.cursor !== undefined) {
    const { at, id } = decodeCursor(query.cursor, 'number');
    const completedAt = new Date(Number(at)).toISOString();
    source.push(`(j.completed_at, j.job_id) < (${add(completedAt)}::timestamptz, ${add(id)}::bigint)`);
  }
  // An index has the re-runs alone.
  if (query.attempt === 'later' || query.attempt === 'flip') source.push('j.attempt > 1');
  const sourceValues = values.length;
  const { repository, workflow, job, runner, runnerName, branchClass, attempt, conclusion, queueTime } =
    query;
  const rest = [`j.status = 'completed'`];
  if (repository !== undefined) rest.push(`j.repository = ${add(repository)}`);
  if (workflow !== undefined) rest.push(`coalesce(j.workflow_name, '') = ${add(workflow)}`);
  if (job !== undefined) rest.push(`j.name = ${add(job)}`);
  if (runner !== undefined) rest.push(`left(array_to_string(j.labels, ', '), 500) = ${add(runner)}`);
  if (runnerName !== undefined) rest.push(`${runnerClass} = ${add(runnerName)}`);
  if (branchClass !== undefined) rest.push(`j.on_default_branch = ${branchClass === 'default'}`);
  if (attempt === 'first') rest.push('j.attempt = 1');
  if (attempt === 'flip') rest.push(isFlip('j'));
  if (queueTime !== undefined) rest.push(hasQueueTime('j'));
  if (conclusion !== undefined) rest.push(`j.conclusion = any (${add(splitValues(conclusion))})`);
  return { source, rest, values, sourceValues };
}
