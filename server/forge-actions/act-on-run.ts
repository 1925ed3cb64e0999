import type { EntryType } from '#contract/deliveries/event-log.ts';
import type { WorkflowRun } from '#contract/runs/runs.ts';
import type { Database } from '#platform/database/database.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import { recordLogEntry } from '#server/event-log/add-entry.ts';
import { explainFailure } from '#server/forges/explain-failure.ts';
import type { Forge, Forges } from '#server/forges/port.ts';
import { lockMemberRole, type Actor } from '#server/members/locks/lock-member-role.ts';
import { noteAskedRerun, readRun } from '#server/runs/read-run.ts';

export interface ActDeps {
  db: Database;
  forges: Forges;
}

export type RunAction =
  | { kind: 'rerun_failed' | 'rerun_all' | 'cancel' }
  | { kind: 'rerun_job'; jobId: number };

/** Whether the integration is connected to the forge of the run. @throws AppError `not_found` */
export async function readRunActions(
  { db, forges }: ActDeps,
  integrationId: string,
  runId: number,
): Promise<{ isConnected: boolean }> {
  const { run } = await findRun(db, integrationId, runId);
  const forge = await forges.ofRepository(integrationId, run.repository);
  return { isConnected: forge !== undefined };
}

/** Asks the forge to re-run or cancel, and records who did it. The webhooks of the forge report the result. @throws AppError */
export async function actOnRun(
  { db, forges }: ActDeps,
  actor: Actor,
  runId: number,
  action: RunAction,
): Promise<void> {
  const { integrationId } = actor;
  await db.withScope({ integrationId }, (tx) => lockMemberRole(tx, actor, 'member'));
  const { run, jobs } = await findRun(db, integrationId, runId);
  const job = action.kind === 'rerun_job' ? jobs.find(({ jobId }) => jobId === action.jobId) : undefined;
  if (action.kind === 'rerun_job' && job === undefined)
    throw new AppError('not_found', { detail: 'The run has no such job.' });
  const forge = await forges.ofRepository(integrationId, run.repository);
  if (forge === undefined)
    throw new AppError('forge_not_connected', {
      detail: `No forge connection of this integration covers ${run.repository}. An admin can add one in the settings.`,
    });
  const isRerun = action.kind !== 'cancel';
  // Before the forge is asked, because its webhook may be here before its answer.
  if (isRerun) await noteAskedRerun(db, run, run.attempt);
  try {
    await perform(forge, run, action);
  } catch (error) {
    if (isRerun) await noteAskedRerun(db, run, null);
    throw explainFailure(error);
  }
  const { repository, headBranch: branch } = run;
  await recordLogEntry(db, {
    ...actor,
    type: entryTypes[action.kind],
    title: `${titles[action.kind]}: ${job === undefined ? '' : `${job.name}, `}${nameOf(run)}`,
    details: { runId, repository, branch, ...(job === undefined ? {} : { jobId: job.jobId }) },
  });
}

async function findRun(db: Database, integrationId: string, runId: number) {
  const found = await db.withScope({ integrationId }, (tx) => readRun(tx, integrationId, runId));
  if (found === undefined) throw new AppError('not_found', { detail: 'Run not found.' });
  return found;
}

function perform(forge: Forge, { repository, runId }: WorkflowRun, action: RunAction): Promise<void> {
  if (action.kind === 'rerun_job') return forge.rerunJob(repository, runId, action.jobId);
  if (action.kind === 'rerun_failed') return forge.rerunFailed(repository, runId);
  return action.kind === 'rerun_all' ? forge.rerunAll(repository, runId) : forge.cancel(repository, runId);
}

const entryTypes: Record<RunAction['kind'], EntryType> = {
  rerun_failed: 'run_action.rerun',
  rerun_all: 'run_action.rerun',
  rerun_job: 'run_action.rerun',
  cancel: 'run_action.cancelled',
};

const titles: Record<RunAction['kind'], string> = {
  rerun_failed: 'The failed jobs were re-run',
  rerun_all: 'All jobs were re-run',
  rerun_job: 'A job was re-run',
  cancel: 'A run was cancelled',
};

function nameOf({ runNumber, workflowName, repository, headBranch }: WorkflowRun): string {
  const number = runNumber === null ? '' : ` #${runNumber}`;
  const branch = headBranch === null ? '' : ` on ${headBranch}`;
  return `${workflowName ?? 'run'}${number} of ${repository}${branch}`;
}
