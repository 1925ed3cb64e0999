import type { WorkflowRun } from '#contract/runs/runs.ts';
import type { RunFailures as Answer } from '#contract/failures/failures.ts';
import { HasMargins } from '../ui/page/has-margins.ts';
import { Loaded, type Reading } from '../ui/page/loaded.tsx';
import { BlameLine } from './blamed-commits.tsx';
import { FailedJobs } from './failed-job.tsx';
import { byCause } from './by-cause.ts';

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
