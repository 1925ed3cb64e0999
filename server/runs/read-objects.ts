import type { WorkflowJob, WorkflowRun } from '#contract/runs/runs.ts';
import type { UpdateType } from '#contract/runs/realtime.ts';
import type { Tx } from '#platform/database/database.ts';
import { findJobRows, findRunRows } from './run-store.ts';
import { jobObject, jobKey } from './objects/job.ts';
import { runKey, runObject } from './objects/run.ts';

/** Identifies a run or a job. `jobId` is null for a run. */
export interface ObjectPointer {
  type: UpdateType;
  integrationId: string;
  runId: number;
  attempt: number;
  jobId: number | null;
}

/** Reads the current objects in the order of their pointers. Undefined for a deleted object. */
export async function readObjects(
  tx: Tx,
  pointers: readonly ObjectPointer[],
): Promise<(WorkflowRun | WorkflowJob | undefined)[]> {
  const [runs, jobs] = await Promise.all([
    findRunRows(tx, pointers.filter(isRun)),
    findJobRows(tx, pointers.filter(isJob)),
  ]);
  const objects = new Map<string, WorkflowRun | WorkflowJob>([
    ...runs.map((row) => [runKey(row), runObject(row)] as const),
    ...jobs.map((row) => [jobKey(row), jobObject(row)] as const),
  ]);
  return pointers.map((pointer) => objects.get(isJob(pointer) ? jobKey(pointer) : runKey(pointer)));
}

type JobPointer = ObjectPointer & { jobId: number };

function isJob(pointer: ObjectPointer): pointer is JobPointer {
  return pointer.jobId !== null;
}

function isRun(pointer: ObjectPointer): boolean {
  return pointer.jobId === null;
}
