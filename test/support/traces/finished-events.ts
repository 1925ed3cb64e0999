import { at, jobPayload, runPayload } from '../data/forge-events.ts';

/** A completed run as its webhook. */
export const run = (id: number, fields: object = {}) =>
  [
    'workflow_run',
    runPayload({
      id,
      name: 'CI',
      status: 'completed',
      conclusion: 'success',
      run_started_at: at(1),
      updated_at: at(60),
      ...fields,
    }),
  ] as ['workflow_run', unknown];

/** A completed job as its webhook. */
export const job = (id: number, runId: number, fields: object = {}) =>
  [
    'workflow_job',
    jobPayload({
      id,
      run_id: runId,
      status: 'completed',
      conclusion: 'success',
      started_at: at(10),
      completed_at: at(50),
      ...fields,
    }),
  ] as ['workflow_job', unknown];
