import type { Tx } from '#platform/database/database.ts';
import {
  columnList,
  findStatement,
  keyList,
  cachedText,
  parameters,
  readRow,
  replaceStatement,
  rowOfKey,
  type Table,
} from '#platform/database/rows/multi-row.ts';
import type { MonitoringEvent } from './parsing/parse-event.ts';
import type { StoredRows } from './reduce-events.ts';
import { eventTypeOf } from './types/event-types.ts';
import { mapObjects, type ObjectName, type Rows } from './types/objects.ts';
import { addToRollups } from '#server/rollups/add-to-rollups.ts';
import type { RollupRow } from '#server/rollups/rollups.ts';
import { isUnnumbered } from './number-attempts.ts';
import { selectTexts, selectRows } from '#platform/database/rows/select-rows.ts';
import {
  attemptKey,
  runKey,
  type AttemptRow,
  type RunOfJobs,
  type RunRow,
  attemptTable,
  runOfJobsTable,
  flaggedAttemptTable,
  runTable,
} from '#server/runs/objects/run.ts';
import { jobKey, type JobRow, jobTable } from '#server/runs/objects/job.ts';
import type { VersionedRow } from '#server/runs/objects/columns.ts';

/** Reads the stored rows of the events' objects: a few statements for each table, all in one round trip. */
export async function findRowsOf(tx: Tx, events: readonly MonitoringEvent[]): Promise<StoredRows> {
  const sameKeys = mapObjects(() => new Map<string, VersionedRow>());
  const runs = new Map<string, RunRow>();
  const unnumbered = new Map<string, JobRow>();
  const runsOfJobs = new Map<string, Pick<JobRow, 'integrationId' | 'runId'>>();
  for (const event of events) {
    const isOfRun = event.type === 'workflow_job' || (event.type === 'workflow_run' && isUnnumbered(event));
    if (isOfRun) runsOfJobs.set(runKey(event.row), event.row);
    if (event.type === 'workflow_run') {
      const { onDefaultBranch, workflowName } = event.row;
      runs.set(`${attemptKey(event.row)} ${onDefaultBranch} ${workflowName}`, event.row);
      continue;
    }
    if (event.type === 'workflow_job' && isUnnumbered(event)) unnumbered.set(jobKey(event.row), event.row);
    else sameKeys[event.type].set(eventTypeOf(event.type).object.keyOf(event.row), event.row);
  }
  const [found, foundRuns, knownRuns, runsOfUnnumbered, unnumberedJobs] = await Promise.all([
    findEach(tx, sameKeys),
    ofAll(runs, (rows) => findRuns(tx, rows)),
    // Their keys alone are read.
    ofAll(runsOfJobs, (rows) => findSame(tx, runOfJobsTable, rows as readonly RunOfJobs[])),
    ofAll(unnumbered, (rows) => findRunsOfJobs(tx, rows)),
    ofAll(unnumbered, (rows) => findJobsOfAnyAttempt(tx, rows)),
  ]);
  return {
    ...found,
    workflow_run: [...foundRuns.flatMap(({ run }) => run ?? []), ...runsOfUnnumbered],
    attempts: foundRuns.flatMap(({ attempt }) => attempt ?? []),
    workflow_job: [...found.workflow_job, ...unnumberedJobs, ...foundRuns.flatMap(({ job }) => job ?? [])],
    runsOfJobs: new Map(knownRuns.map((run) => [runKey(run), run])),
  };
}

/** Reads the stored rows with the same keys, of each kind of object. */
async function findEach(
  tx: Tx,
  wanted: Record<ObjectName, ReadonlyMap<string, VersionedRow>>,
): Promise<Rows> {
  const found = mapObjects(({ table }, name) => ofAll(wanted[name], (rows) => findSame(tx, table, rows)));
  const rows = await Promise.all(
    Object.entries(found).map(async ([name, ofName]) => [name, await ofName] as const),
  );
  return Object.fromEntries(rows) as unknown as Rows;
}

/** Without rows there is no query. */
async function ofAll<Row, Found>(
  rows: ReadonlyMap<string, Row>,
  find: (rows: readonly Row[]) => Promise<Found[]>,
): Promise<Found[]> {
  return rows.size === 0 ? [] : find([...rows.values()]);
}

/** Writes whole rows and adds to the rollups: a few statements for each table, all in one round trip. */
export function saveRows(tx: Tx, rows: Rows, deltas: readonly RollupRow[], now: number | undefined): void {
  mapObjects(({ table }, name) => replace(tx, table, rows[name]));
  addToRollups(tx, deltas, now);
}

interface FoundRun {
  run: RunRow | undefined;
  attempt: AttemptRow | undefined;
  job: JobRow | undefined;
}

/**
 * Reads runs, each with the stored earlier attempt that has the key of one of `rows`, and with the jobs that were stored before
 * their run. When the stored run already has the branch flag and the workflow, its jobs have them too and are not read.
 */
async function findRuns(tx: Tx, rows: readonly RunRow[]): Promise<FoundRun[]> {
  const name = 'find runs, attempts and jobs that follow';
  const text = cachedText(
    runTable,
    name,
    () => `select ${columnList(runTable, 'r.')}, ${columnList(attemptTable, 'a.')}, ${columnList(jobTable, 'j.')}
           from ${keyList(flaggedAttemptTable, 5)}
           left join lateral ${rowOfKey(runTable)} r on true
           left join lateral ${rowOfKey(attemptTable)} a on true
           left join lateral (
             select * from workflow_jobs w
             where w.integration_id = k.integration_id and w.run_id = k.run_id
               and (k.on_default_branch is distinct from r.on_default_branch
                 or k.workflow_name is distinct from r.workflow_name)
             offset 0) j on true`,
  );
  const found = await selectTexts(tx, { name, text, values: parameters(flaggedAttemptTable, rows, 5) });
  const attemptAt = runTable.fields.length;
  const jobAt = attemptAt + attemptTable.fields.length;
  return found.map((texts) => ({
    run: rowAt(runTable, texts, 0),
    attempt: rowAt(attemptTable, texts, attemptAt),
    job: rowAt(jobTable, texts, jobAt),
  }));
}

/** The row of an outer join, if there is one. */
function rowAt<Row>(table: Table<Row>, texts: (string | null)[], offset: number): Row | undefined {
  return texts[offset] === null ? undefined : readRow(table, texts, offset);
}

/** Reads the runs of jobs that have no attempt, because the run gives the attempt. */
function findRunsOfJobs(tx: Tx, rows: readonly JobRow[]): Promise<RunRow[]> {
  const name = 'find runs of jobs';
  const text = cachedText(
    runTable,
    name,
    () => `select ${columnList(runTable, 't.')} from ${keyList(jobTable, 2)}
           join lateral ${rowOfKey(runTable)} t on true`,
  );
  return selectRows(tx, runTable, { name, text, values: parameters(jobTable, rows, 2) });
}

/** Ignores the attempt in the keys. */
function findJobsOfAnyAttempt(tx: Tx, rows: readonly JobRow[]): Promise<JobRow[]> {
  const name = 'find jobs of any attempt';
  const text = cachedText(
    jobTable,
    name,
    () => `select ${columnList(jobTable, 'j.')} from ${keyList(jobTable, jobTable.keyLength)}
           join lateral (
             select * from workflow_jobs w
             where w.integration_id = k.integration_id and w.run_id = k.run_id and w.job_id = k.job_id
             offset 0) j on true`,
  );
  return selectRows(tx, jobTable, { name, text, values: parameters(jobTable, rows, jobTable.keyLength) });
}

function findSame<Row>(tx: Tx, table: Table<Row>, rows: readonly Row[]): Promise<Row[]> {
  return selectRows(tx, table, findStatement(table, rows));
}

function replace<Row>(tx: Tx, table: Table<Row>, rows: readonly Row[]): void {
  if (rows.length > 0) void tx.query(replaceStatement(table, rows));
}
