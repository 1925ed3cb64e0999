import type { WorkflowRun } from '#contract/runs/runs.ts';
import type { RunFailures as Answer, JobFailure } from '#contract/failures/failures.ts';
import { HasMargins } from '../ui/page/has-margins.ts';
import { Loaded, type Reading } from '../ui/page/loaded.tsx';
import { LogLink } from '../job-logs/log-link.tsx';
import { quietLink } from '../runs/quiet-link.ts';
import { formatCount, formatNumber } from '../ui/locale.ts';
import { clip } from '../ui/text/clip.ts';
import { OutsideLink } from '../ui/text/text-link.tsx';
import { BlameLine } from './blamed-commits.tsx';
import { byCause, type EqualFailures } from './by-cause.ts';
import { AssessmentLine } from './assessment-line.tsx';
import { statusLabels } from './groups/group-status-texts.ts';
import { Excerpt } from './log-excerpt.tsx';
import { SameFailures } from './same-failures.tsx';
import { stepUrl } from './step-url.ts';

/** Why jobs of an attempt failed, each cause once. */
export function RunFailures({
  run: { integrationId, runId },
  reading,
  jobCount,
  onOpen,
}: {
  run: WorkflowRun;
  reading: Reading<Answer>;
  /** Of all jobs of the attempt. */
  jobCount: number;
  onOpen: (jobId: number) => void;
}) {
  return (
    <section aria-labelledby="reasons-title">
      <h2 id="reasons-title" className="mb-1 font-semibold">
        Failures
      </h2>
      <HasMargins value>
        <Loaded reading={reading} what="failures" skeletonRows={2}>
          {({ items, blame }) => (
            <>
              {blame !== null && (
                <p className="mb-2 text-muted">
                  First bad commit: <BlameLine blame={blame} />
                </p>
              )}
              <ul className="flex flex-col gap-3">
                {byCause(items).map((failures) => (
                  <FailedJobs
                    key={failures[0].jobId}
                    integrationId={integrationId}
                    runId={runId}
                    failures={failures}
                    jobCount={jobCount}
                    onOpen={onOpen}
                  />
                ))}
              </ul>
            </>
          )}
        </Loaded>
      </HasMargins>
    </section>
  );
}

const logNotes: Record<JobFailure['log'], string | undefined> = {
  read: undefined,
  reading: 'Reading the log…',
  no_connection: undefined,
  unreadable: 'The forge did not return the log.',
};

/** The list of jobs has all, failed ones first. */
const shownJobs = 20;

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

/** Why a job failed, or several jobs for the same reason: step, error line, assessment, excerpt. The log is that of the first. */
function FailedJobs({
  integrationId,
  runId,
  failures,
  jobCount,
  onOpen,
}: {
  integrationId: string;
  runId: number;
  failures: EqualFailures;
  /** Of all jobs of the attempt. */
  jobCount: number;
  /** Shows the steps of a job. */
  onOpen: (jobId: number) => void;
}) {
  const [failure] = failures;
  const { jobId, job, step, errorLine, url, excerpts, assessment, missing } = failure;
  const note = logNotes[failure.log] ?? (missing === null ? undefined : missingNotes[missing]);
  const isOne = failures.length === 1;
  return (
    <li className="flex min-w-0 flex-col gap-2 rounded-lg border border-line bg-surface p-3">
      <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
        <span className="min-w-0 truncate">
          {isOne ? (
            <JobButton job={job} onOpen={() => onOpen(jobId)} className="font-medium" />
          ) : (
            <span className="font-medium">
              {formatNumber(failures.length)} of {formatCount(jobCount, 'job')}
            </span>
          )}
          {step !== null && <bdi className="text-muted"> – {clip(step.name)}</bdi>}
        </span>
        {assessment && <AssessmentLine assessment={assessment} />}
        <Links integrationId={integrationId} runId={runId} failure={failure} />
      </div>
      {!isOne && (
        <ul aria-label="Jobs with this failure" className="flex flex-wrap gap-x-3 gap-y-1 text-xs">
          {failures.slice(0, shownJobs).map((one) => (
            <li key={one.jobId} className="min-w-0">
              <JobButton job={one.job} onOpen={() => onOpen(one.jobId)} />
            </li>
          ))}
          {failures.length > shownJobs && (
            <li className="text-muted">and {formatNumber(failures.length - shownJobs)} more</li>
          )}
        </ul>
      )}
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

function JobButton({ job, onOpen, className = '' }: { job: string; onOpen: () => void; className?: string }) {
  return (
    <button
      type="button"
      className={`prints max-w-full truncate text-left ${quietLink} ${className}`}
      onClick={onOpen}
    >
      <bdi>{clip(job)}</bdi>
    </button>
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
