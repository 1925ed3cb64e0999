import type { FailingJob as Job } from '#contract/failures/red-workflow.ts';
import { TestLink } from '../test-results/test-link.tsx';
import { formatNumber } from '../ui/locale.ts';
import { clip } from '../ui/text/clip.ts';
import { AssessmentLine } from './assessment-line.tsx';

/** What failed first in a run: job and step, error line, assessment. */
export function FailingJob({ failing, problem }: { failing: Job | null; problem: string }) {
  if (failing === null) return <bdi className="text-failed">{problem}</bdi>;
  const { job, step, errorLine, jobs, tests, failedTests, assessment } = failing;
  return (
    <span className="flex min-w-0 flex-col items-start gap-0.5">
      <span>
        <bdi className="font-medium">{clip(job, 200)}</bdi>
        {step !== null && (
          <span className="text-muted">
            {' › '}
            <bdi>{clip(step, 200)}</bdi>
          </span>
        )}
        {jobs > 1 && <span className="text-muted"> and {jobs - 1} more</span>}
      </span>
      {tests.length > 0 && (
        <span className="relative z-1">
          <span className="text-muted">{failedTests === 1 ? 'Test ' : 'Tests '}</span>
          {tests.map(({ testId, name }, index) => (
            <span key={testId}>
              {index > 0 && ', '}
              <TestLink testId={testId}>
                <bdi className="wrap-anywhere">{clip(name, 120)}</bdi>
              </TestLink>
            </span>
          ))}
          {failedTests > tests.length && (
            <span className="text-muted"> and {formatNumber(failedTests - tests.length)} more</span>
          )}
        </span>
      )}
      {errorLine !== null && (
        <bdi title={errorLine} className="line-clamp-2 font-mono text-xs text-failed">
          {errorLine}
        </bdi>
      )}
      {assessment && <AssessmentLine assessment={assessment} />}
    </span>
  );
}
