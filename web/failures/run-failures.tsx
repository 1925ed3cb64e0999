import type { WorkflowJob } from '#contract/runs/runs.ts';
import { failedConclusions } from '#contract/failures/failures.ts';
import { FailureLine } from '../ui/page/message.tsx';
import { SkeletonRows } from '../ui/table/skeleton.tsx';
import { FailedJob } from './failed-job.tsx';
import { useRunFailures } from './use-run-failures.ts';

/** Why the jobs of an attempt failed. Nothing without a failed job. */
export function RunFailures({
  integrationId,
  runId,
  attempt,
  jobs,
  onOpen,
}: {
  integrationId: string;
  runId: number;
  attempt: number;
  /** Of the attempt. */
  jobs: readonly WorkflowJob[];
  onOpen: (jobId: number) => void;
}) {
  const hasFailed = jobs.some(({ conclusion }) => failedConclusions.includes(conclusion));
  const { data, error, refetch } = useRunFailures(integrationId, runId, attempt, hasFailed);
  if (!hasFailed) return null;
  return (
    <section aria-labelledby="reasons-title">
      <h2 id="reasons-title" className="mb-1 font-semibold">
        Failures
      </h2>
      {error && (
        <FailureLine title="The failures could not be loaded." error={error} onRetry={() => void refetch()} />
      )}
      {!data && !error && <SkeletonRows label="Loading the failures" count={2} />}
      {data && (
        <ul className="flex flex-col gap-3">
          {data.items.map((failure) => (
            <FailedJob key={failure.jobId} integrationId={integrationId} failure={failure} onOpen={onOpen} />
          ))}
        </ul>
      )}
    </section>
  );
}
