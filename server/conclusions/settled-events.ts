import type { MonitoringEvent } from '#server/events/parsing/parse-event.ts';
import type { JobRow } from '#server/runs/objects/job.ts';
import type { AttemptRow, RunRow } from '#server/runs/objects/run.ts';
import { settledJob, settledRun } from '#server/runs/staleness.ts';
import type { SettledConclusion } from './settled-conclusion.ts';

/** Events that store what was found out, so that all that follows completions follows it too. */

export function timedOutJob(job: JobRow): MonitoringEvent {
  const { integrationId, version } = job;
  const row: JobRow = { ...job, conclusion: 'timed_out', version: settledJob(version) };
  return { type: 'workflow_job', integrationId, row };
}

/** `earlier` is the stored attempt when the run has a newer one. */
export function settledAttempt(
  run: RunRow,
  earlier: AttemptRow | undefined,
  settled: SettledConclusion,
): MonitoringEvent {
  const { integrationId } = run;
  const attempt: RunRow = earlier === undefined ? run : { ...run, ...earlier };
  const as = settled.conclusion === 'timed_out' ? 'timed_out' : 'superseded';
  const row: RunRow = { ...attempt, ...settled, version: settledRun(attempt.version, as), errorLine: null };
  return { type: 'workflow_run', integrationId, row };
}
