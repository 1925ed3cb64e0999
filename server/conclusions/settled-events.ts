import type { MonitoringEvent } from '#server/events/parsing/parse-event.ts';
import type { JobRow } from '#server/runs/objects/job.ts';
import type { RunRow } from '#server/runs/objects/run.ts';
import { settledJob, settledRun } from '#server/runs/staleness.ts';
import type { SettledConclusion } from './settled-conclusion.ts';

/** Events that store what was found out, so that all that follows completions follows it too. */

export function timedOutJob(job: JobRow): MonitoringEvent {
  const { integrationId, version } = job;
  const row: JobRow = { ...job, conclusion: 'timed_out', version: settledJob(version) };
  return { type: 'workflow_job', integrationId, row };
}

export function settledAttempt(attempt: RunRow, settled: SettledConclusion): MonitoringEvent {
  const { integrationId, version } = attempt;
  const as = settled.conclusion === 'timed_out' ? 'timed_out' : 'superseded';
  const row: RunRow = { ...attempt, ...settled, version: settledRun(version, as), errorLine: null };
  return { type: 'workflow_run', integrationId, row };
}
