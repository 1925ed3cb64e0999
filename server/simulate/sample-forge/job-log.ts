import { failureOf, type SampleFailure } from './failures.ts';
import type { JobPayload } from './sample-runs.ts';

/** The step that ended the job early. */
function brokenStep({ workflow_job: { steps } }: JobPayload) {
  return steps.find(({ conclusion }) => conclusion === 'failure' || conclusion === 'cancelled');
}

/** Why the job fails; undefined for a job that did not. */
export function failureOfJob(job: JobPayload): SampleFailure | undefined {
  const { conclusion } = job.workflow_job;
  if (conclusion !== 'failure' && conclusion !== 'timed_out') return undefined;
  return failureOf(job.repository.full_name, brokenStep(job)?.name, conclusion);
}

/** The log as GitHub stores it: each line with its time, each step in a group. */
export function logOf(job: JobPayload): string {
  const broken = brokenStep(job);
  const failure = failureOfJob(job);
  const lines = job.workflow_job.steps.flatMap((step) => {
    if (step.conclusion === 'skipped') return [];
    const time = step.started_at.replace('.000Z', '.1234567Z');
    const said = step === broken ? linesOf(failure) : [`${step.name}: done`];
    const title = step.name.startsWith('Run ') ? step.name : `Run ${step.name}`;
    return [`##[group]${title}`, `shell: /usr/bin/bash -e {0}`, '##[endgroup]', ...said].map(
      (line) => `${time} ${line}`,
    );
  });
  return `${lines.join('\n')}\n`;
}

function linesOf(failure: SampleFailure | undefined): readonly string[] {
  if (failure === undefined) return ['##[error]The operation was canceled.'];
  const isMarked = failure.lines.some((line) => line.startsWith('##[error]'));
  return isMarked ? failure.lines : [...failure.lines, '##[error]Process completed with exit code 1.'];
}

/** As the API of GitHub lists the annotations of a check run. */
export function annotationsOf(job: JobPayload): object[] {
  const failure = failureOfJob(job);
  if (failure === undefined) return [];
  const exit = { path: '.github', line: 1, message: 'Process completed with exit code 1.' };
  return [failure.annotation ?? exit].map(({ path, line, message }) => ({
    path,
    start_line: line,
    end_line: line,
    start_column: null,
    end_column: null,
    annotation_level: 'failure',
    title: null,
    message,
    raw_details: null,
    blob_href: '',
  }));
}
