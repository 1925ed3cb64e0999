import type { WorkflowJob } from '#contract/runs/runs.ts';
import { clip } from '../../../ui/text/clip.ts';

/** The jobs that decide how long the run takes. Their rows are marked in the timeline. */
export function CriticalPath({ path }: { path: readonly WorkflowJob[] }) {
  if (path.length === 0) return null;
  return (
    <p className="mb-1 line-clamp-2 text-xs wrap-anywhere text-muted">
      <span
        title="The jobs that decide how long the run takes: each was created when the one before it ended."
        className="mr-1 inline-block border-l-3 border-accent pl-1.5"
      >
        Critical path
      </span>
      {path.map(({ jobId, name }, index) => (
        <span key={jobId}>
          {index > 0 && ' › '}
          <bdi>{clip(name, 60)}</bdi>
        </span>
      ))}
    </p>
  );
}
