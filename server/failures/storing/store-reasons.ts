import { isFailed } from '#contract/runs/conclusions.ts';
import { mostOtherSubjects, type FailureReason } from '#contract/failures/failure-reason.ts';
import type { WorkflowJob, WorkflowRun } from '#contract/runs/runs.ts';
import type { Tx } from '#platform/database/database.ts';
import { storableText } from '#platform/database/rows/storable-text.ts';
import type { Sealer } from '#platform/runtime/secrets/sealing.ts';
import { fingerprint, fingerprintOfTest, groupIdOf } from '#server/failures/log/fingerprint.ts';
import {
  appendUpdates,
  lockStreams,
  type CommittedUpdate,
  type LiveUpdate,
} from '#server/realtime/outbox/append-updates.ts';
import { announceGroups, type OpenedGroup } from '#server/webhook-events/announce-groups.ts';
import { readObjects } from '#server/runs/read-objects.ts';
import { openFailureText } from '#server/test-results/storing/failure-text.ts';
import { chooseTest, lineOfTest, type ChosenTest } from './choose-test.ts';
import { sealExcerpt } from './excerpt-sealing.ts';
import { limitGroups } from './limit-groups.ts';
import type { PendingFailure } from './pending-store.ts';
import { reasonFromSteps } from './reason-from-steps.ts';
import { insertReason, linkGroup, listUnlinkedJobs, type NewReason } from './reason-store.ts';
import { listReportedTests, type ReportedTest } from './reported-test-store.ts';

/** A failed job, with what its log tells, or why there is no log. */
export type ReadFailure = PendingFailure & { log: FailureReason | 'no_connection' | 'unreadable' };

const maxErrorLine = 500;

/**
 * Stores the reasons of jobs that are still failed. The caller's transaction has locked the stream of the integration. Returns the
 * updates of the runs and jobs, to push after the commit.
 */
export async function storeReasons(
  tx: Tx,
  sealer: Sealer,
  integrationId: string,
  failures: readonly ReadFailure[],
): Promise<CommittedUpdate[]> {
  const found = await readJobsAndRuns(tx, integrationId, failures);
  const stored: WorkflowJob[] = [];
  const opened: OpenedGroup[] = [];
  const jobs = found.map(({ job }) => job);
  const tests = jobs.length === 0 ? [] : await listReportedTests(tx, integrationId, jobs);
  for (const [index, each] of found.entries()) {
    const { job } = each;
    const reason = newReason(sealer, each, tests[index] ?? []);
    const inserted = await insertReason(tx, reason);
    if (inserted !== undefined) stored.push(job);
    if (inserted?.isNewGroup === true) opened.push(openedGroup(reason));
  }
  await announceGroups(tx, integrationId, opened);
  if (opened.length > 0) await limitGroups(tx, integrationId);
  if (stored.length === 0) return [];
  const runs = await readRuns(tx, stored);
  const updates: LiveUpdate[] = [
    ...runs.map((data) => ({ type: 'workflow_run', data }) as const),
    ...stored.map((data) => ({ type: 'workflow_job', data }) as const),
  ];
  return appendUpdates(tx, updates, [integrationId]);
}

/** Links the groups of failed jobs to the tests of reports that came after the reasons. */
export async function linkGroups(
  tx: Tx,
  integrationId: string,
  attempt: { runId: number; attempt: number },
): Promise<void> {
  // A reason that is being stored sees the reports, or is seen here.
  await lockStreams(tx, [integrationId]);
  const jobs = await listUnlinkedJobs(tx, integrationId, attempt);
  if (jobs.length === 0) return;
  const tests = await listReportedTests(tx, integrationId, jobs);
  for (const [index, { groupId, subject }] of jobs.entries()) {
    const chosen = chooseTest(tests[index] ?? [], { subject, otherSubjects: [] });
    if (chosen !== undefined) await linkGroup(tx, integrationId, groupId, chosen.test.testId);
  }
}

interface FoundFailure {
  failure: ReadFailure;
  job: WorkflowJob;
  run: WorkflowRun | undefined;
}

async function readJobsAndRuns(
  tx: Tx,
  integrationId: string,
  failures: readonly ReadFailure[],
): Promise<FoundFailure[]> {
  const pointers = failures.map(({ runId, attempt, jobId }) => ({ integrationId, runId, attempt, jobId }));
  const objects = await readObjects(tx, [
    ...pointers.map((pointer) => ({ type: 'workflow_job' as const, ...pointer })),
    ...pointers.map((pointer) => ({ type: 'workflow_run' as const, ...pointer, jobId: null })),
  ]);
  return failures.flatMap((failure, index) => {
    const job = objects[index] as WorkflowJob | undefined;
    const run = objects[failures.length + index] as WorkflowRun | undefined;
    return job !== undefined && isFailed(job.conclusion) ? [{ failure, job, run }] : [];
  });
}

/** The runs of the jobs, each once, with their new error lines. */
async function readRuns(tx: Tx, jobs: readonly WorkflowJob[]): Promise<WorkflowRun[]> {
  const pointers = new Map(
    jobs.map(({ integrationId, runId, attempt }) => [
      runId,
      { type: 'workflow_run' as const, integrationId, runId, attempt, jobId: null },
    ]),
  );
  const objects = await readObjects(tx, [...pointers.values()]);
  return objects.filter((object) => object !== undefined) as WorkflowRun[];
}

function newReason(
  sealer: Sealer,
  { failure: { log }, job, run }: FoundFailure,
  tests: readonly ReportedTest[],
): NewReason {
  const { integrationId, runId, attempt, jobId, repository } = job;
  const fromSteps = reasonFromSteps(job);
  const fromLog = typeof log === 'string' ? undefined : log;
  const step = fromLog?.step ?? fromSteps.step;
  const subject = storableText(fromLog?.subject, maxErrorLine) ?? null;
  const infrastructure = fromLog?.infrastructure ?? fromSteps.infrastructure;
  const chosen = infrastructure === null ? chooseTest(tests, fromLog) : undefined;
  const errorLine =
    (subject === null && chosen !== undefined ? lineOf(sealer, integrationId, chosen) : null) ??
    storableText(fromLog?.errorLine, maxErrorLine) ??
    fromSteps.errorLine;
  const workflow = run?.workflowName ?? job.workflowName ?? run?.workflowPath ?? null;
  // The same for all jobs of a run, whether its own event was stored before or not.
  const ofJobs = job.workflowName ?? workflow ?? '';
  const print =
    chosen === undefined
      ? fingerprint({
          workflow: ofJobs,
          jobName: job.name,
          stepName: step?.name ?? null,
          errorLine,
          subject,
        })
      : fingerprintOfTest(ofJobs, job.name, chosen.test.testId);
  return {
    integrationId,
    runId,
    attempt,
    jobId,
    groupId: groupIdOf(repository, print),
    repository,
    workflow,
    branch: run?.headBranch ?? job.headBranch,
    job: job.name,
    step: step && { ...step, name: storableText(step.name, maxErrorLine) ?? '' },
    errorLine: storableText(errorLine, maxErrorLine) ?? '',
    isSpecific: subject !== null || chosen !== undefined,
    testId: chosen?.test.testId ?? null,
    subject: chosen === undefined ? subject : null,
    otherSubjects: (chosen?.others ?? fromLog?.otherSubjects ?? []).slice(0, mostOtherSubjects),
    infrastructure,
    withoutLog: typeof log === 'string' ? log : null,
    sealedExcerpt: fromLog === undefined ? null : sealExcerpt(sealer, job, fromLog),
    failedAt: new Date(job.completedAt ?? Date.now()),
  };
}

/** What the report says about a test that the log does not name. */
function lineOf(sealer: Sealer, integrationId: string, { test }: ChosenTest<ReportedTest>): string | null {
  const { testId, reportId, sealedText } = test;
  const { message } = openFailureText(sealer, { integrationId, testId, reportId }, sealedText);
  return storableText(lineOfTest(test, message), maxErrorLine);
}

function openedGroup(reason: NewReason): OpenedGroup {
  const { groupId, repository, workflow, job, step, errorLine, failedAt } = reason;
  const { runId, attempt, jobId, branch } = reason;
  const firstSeenAt = failedAt.toISOString();
  return {
    failureGroup: { groupId, repository, workflow, job, step: step?.name ?? null, errorLine, firstSeenAt },
    occurrence: { runId, attempt, jobId, branch },
  };
}
