import { assessmentText } from '#contract/failures/assessment-text.ts';
import type { Assessment } from '#contract/failures/failures.ts';
import { sinceText } from './since-text.ts';

const looks: Record<Assessment['kind'], string> = {
  infrastructure: 'border-waiting text-waiting',
  flaky: 'border-running text-running',
  default_branch: 'border-line-strong text-muted',
  branch: 'border-line-strong text-muted',
  other_branches: 'border-line-strong text-muted',
  new_on_branch: 'border-failed text-failed',
};

export function AssessmentLine({ assessment }: { assessment: Assessment }) {
  return (
    <span
      className={`inline-flex max-w-full items-center rounded-xl border px-2 text-xs ${looks[assessment.kind]}`}
    >
      <bdi className="line-clamp-2">{assessmentText(assessment, sinceText)}</bdi>
    </span>
  );
}
