import type { JobLog } from '#contract/failures/job-log.ts';
import type { WorkflowJob } from '#contract/runs/runs.ts';
import { ApiError } from '../api/problem.ts';
import { JobSteps } from '../runs/page/jobs/job-steps.tsx';
import { axisOf } from '../runs/page/jobs/time-axis.ts';
import { formatBytes, formatCount } from '../ui/locale.ts';
import { Message } from '../ui/page/message.tsx';
import { clip } from '../ui/text/clip.ts';
import { safeUrl } from '../ui/text/safe-url.ts';
import { OutsideLink, TextLink, linkLook } from '../ui/text/text-link.tsx';
import { useNow } from '../ui/time/now.ts';
import type { LogRows } from './use-log-rows.ts';

const missingTexts = {
  end: 'The forge stopped before the end. The log is read again in a minute.',
  limit: 'The rest is left out: the log is longer than 100 MiB or 5,000,000 lines.',
} as const;

/** How much of the log there is. */
export function LogState({
  log: { state, lines, bytes, missing, sections },
  job,
  rows: { folded, foldAll },
}: {
  log: JobLog;
  job: WorkflowJob | undefined;
  rows: LogRows;
}) {
  const url = safeUrl(job?.url ?? null);
  const isFolded = folded.size > 0;
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-line px-4 py-1 text-xs text-muted">
      <span>
        {formatCount(lines, 'line')}, {formatBytes(bytes)}
      </span>
      <output>
        {state === 'reading' && 'Reading the log…'}
        {state === 'live' && 'The job runs. New lines appear here.'}
        {missing !== null && missingTexts[missing]}
      </output>
      {sections.length > 0 && (
        <button type="button" className={`ml-auto ${linkLook}`} onClick={() => foldAll(!isFolded)}>
          {isFolded ? 'Unfold all' : 'Fold all'}
        </button>
      )}
      {url && (
        <OutsideLink href={url} about={`of ${clip(job?.name ?? 'the job')}`}>
          Job at the forge
        </OutsideLink>
      )}
    </div>
  );
}

const emptyTitles: Record<JobLog['state'], string> = {
  waiting: 'No log yet',
  reading: 'Reading the log',
  live: 'No lines yet',
  complete: 'The log is empty',
};

/** Instead of lines. */
export function EmptyLog({ log: { state }, job }: { log: JobLog; job: WorkflowJob | undefined }) {
  const now = useNow(state === 'waiting');
  const axis = job && axisOf([job], now);
  return (
    <Message title={emptyTitles[state]}>
      {state === 'waiting' && (
        <p className="text-muted">
          The forge has the log some seconds after the end of the job. The steps are live.
        </p>
      )}
      {state === 'waiting' && job && axis && (
        <div className="w-full text-left">
          <JobSteps steps={job.steps} axis={axis} now={now} />
        </div>
      )}
    </Message>
  );
}

const refusals: Partial<Record<ApiError['code'], string>> = {
  log_expired: 'The forge has no log of this job',
  forge_not_connected: 'No connection to the forge',
  insufficient_role: 'You may not read logs',
};

/** Why there is no log, when asking again does not help. */
export function RefusedLog({ error, integrationId }: { error: ApiError; integrationId: string }) {
  return (
    <Message title={refusals[error.code] ?? ''}>
      {error.code !== 'log_expired' && (
        <>
          <p className="text-muted">{error.message}</p>
          <TextLink to="/integrations/$integrationId/settings" params={{ integrationId }}>
            View settings
          </TextLink>
        </>
      )}
    </Message>
  );
}

export function isRefused(error: unknown): error is ApiError {
  return error instanceof ApiError && refusals[error.code] !== undefined;
}
