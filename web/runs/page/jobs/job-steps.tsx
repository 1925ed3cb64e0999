import type { JobStep } from '#contract/runs/runs.ts';
import { clip } from '../../../ui/text/clip.ts';
import { Duration } from '../../../ui/time/time.tsx';
import { runningSince } from '../../run-status.ts';
import { StatusMark } from '../../status-mark.tsx';
import type { TimeAxis } from './time-axis.ts';
import { TimelineBar } from './timeline-bar.tsx';

/** The steps of a job on the time axis of the jobs. */
export function JobSteps({ steps, axis, now }: { steps: readonly JobStep[]; axis: TimeAxis; now: number }) {
  if (steps.length === 0) return <p className="pl-5 text-muted">No steps were reported.</p>;
  return (
    <ol aria-label="Steps">
      {steps.map((step) => (
        <li key={step.number} className="job-grid py-0.5">
          <span className="flex min-w-0 items-center gap-1.5 pl-5">
            <span className="w-5 shrink-0 text-right text-faint">{step.number}</span>
            <bdi className="min-w-0 grow truncate" title={clip(step.name)}>
              {clip(step.name)}
            </bdi>
            <StatusMark status={step.status} conclusion={step.conclusion} />
          </span>
          <span className="job-bar">
            <TimelineBar span={step} axis={axis} now={now} isThin />
          </span>
          <span className="text-right text-muted">
            <Duration ms={durationOf(step)} since={runningSince(step)} />
          </span>
        </li>
      ))}
    </ol>
  );
}

function durationOf({ startedAt, completedAt }: JobStep): number | null {
  if (startedAt === null || completedAt === null) return null;
  return Date.parse(completedAt) - Date.parse(startedAt);
}
