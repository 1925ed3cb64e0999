import type { WorkflowJob } from '#contract/runs/runs.ts';
import { isFailed } from '#contract/runs/conclusions.ts';
import { HasMargins } from '../ui/page/has-margins.ts';
import { Loaded } from '../ui/page/loaded.tsx';
import { BlameLine } from './blamed-commits.tsx';
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
  const hasFailed = jobs.some(({ conclusion }) => isFailed(conclusion));
  const reading = useRunFailures(integrationId, runId, attempt, hasFailed);
  if (!hasFailed) return null;
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
                {items.map((failure) => (
                  <FailedJob
                    key={failure.jobId}
                    integrationId={integrationId}
                    runId={runId}
                    failure={failure}
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
