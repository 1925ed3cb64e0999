import type { JobFailure } from '#contract/failures/failures.ts';
import { LogLink } from '../job-logs/log-link.tsx';
import { quietLink } from '../runs/quiet-link.ts';
import { clip } from '../ui/text/clip.ts';
import { AssessmentLine } from './assessment-line.tsx';
import { statusLabels } from './groups/group-status-texts.ts';
import { Excerpt } from './log-excerpt.tsx';
import { SameFailures } from './same-failures.tsx';
import { stepUrl } from './step-url.ts';
import { OutsideLink } from '../ui/text/text-link.tsx';

const logNotes: Record<JobFailure['log'], string | undefined> = {
  read: undefined,
  reading: 'Reading the log…',
  no_connection: undefined,
  unreadable: 'The forge did not return the log.',
};

const missingNotes = {
  start: 'The start of the log was too large to read.',
  end: 'The forge did not send the whole log.',
} as const;

/** The number of the line that explains the failure. Unknown when the start of the log was not read. */
function errorLineOf({ excerpts, missing }: JobFailure): number | undefined {
  const first = excerpts[0];
  if (first === undefined || missing === 'start') return undefined;
  return (
    first.firstLine +
    Math.max(
      0,
      first.lines.findIndex(({ isError }) => isError),
    )
  );
}

/** Why one job failed: step, error line, assessment, excerpt. */
export function FailedJob({
  integrationId,
  runId,
  failure,
  onOpen,
}: {
  integrationId: string;
  runId: number;
  failure: JobFailure;
  /** Shows the steps of the job. */
  onOpen: (jobId: number) => void;
}) {
  const { jobId, job, step, errorLine, url, excerpts, assessment, missing } = failure;
  const note = logNotes[failure.log] ?? (missing === null ? undefined : missingNotes[missing]);
  return (
    <li className="flex min-w-0 flex-col gap-2 rounded-lg border border-line bg-surface p-3">
      <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
        <button
          type="button"
          className={`prints min-w-0 truncate text-left ${quietLink}`}
          onClick={() => onOpen(jobId)}
        >
          <bdi className="font-medium">{clip(job)}</bdi>
          {step !== null && <bdi className="text-muted"> – {clip(step.name)}</bdi>}
        </button>
        {assessment && <AssessmentLine assessment={assessment} />}
        <Links integrationId={integrationId} runId={runId} failure={failure} />
      </div>
      <p className="font-mono text-xs leading-5 wrap-anywhere text-failed">
        <bdi>{errorLine}</bdi>
      </p>
      {excerpts.map((excerpt) => (
        <Excerpt
          key={excerpt.firstLine}
          excerpt={excerpt}
          label={`Log of ${clip(job)} from line ${excerpt.firstLine}`}
          url={stepUrl(url, excerpt.step ?? step, excerpt.firstLineOfStep)}
        />
      ))}
      {note && <p className="text-xs text-muted">{note}</p>}
    </li>
  );
}

function Links({
  integrationId,
  runId,
  failure,
}: {
  integrationId: string;
  runId: number;
  failure: JobFailure;
}) {
  const { jobId, job, step, url, groupId, groupStatus } = failure;
  const link = stepUrl(url, step);
  return (
    <span className="flex flex-wrap items-center gap-x-3 text-xs md:ml-auto">
      {groupId !== null && (
        <>
          {groupStatus !== null && groupStatus !== 'open' && (
            <span className="text-muted">{statusLabels[groupStatus]}</span>
          )}
          <SameFailures groupId={groupId} job={job} />
        </>
      )}
      {failure.log === 'read' && (
        <LogLink
          integrationId={integrationId}
          runId={runId}
          jobId={jobId}
          job={job}
          line={errorLineOf(failure)}
        >
          Log
        </LogLink>
      )}
      {link && (
        <OutsideLink href={link} about={`of ${clip(job)}`}>
          Step at the forge
        </OutsideLink>
      )}
    </span>
  );
}
