import type { ReactNode } from 'react';
import { assessmentText } from '#contract/failures/assessment-text.ts';
import type { Assessment } from '#contract/failures/failures.ts';
import { sinceText } from './since-text.ts';

const looks = {
  waiting: 'border-waiting text-waiting',
  running: 'border-running text-running',
  known: 'border-line-strong text-muted',
  failed: 'border-failed text-failed',
};
type Tone = keyof typeof looks;

const tones: Record<Assessment['kind'], Tone> = {
  infrastructure: 'waiting',
  flaky: 'running',
  default_branch: 'known',
  branch: 'known',
  other_branches: 'known',
  new_on_branch: 'failed',
};

export function AssessmentLine({ assessment }: { assessment: Assessment }) {
  return <FailurePill tone={tones[assessment.kind]}>{assessmentText(assessment, sinceText)}</FailurePill>;
}

/** What a failure means, in a few words. */
export function FailurePill({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <span className={`inline-flex max-w-full items-center rounded-xl border px-2 text-xs ${looks[tone]}`}>
      <bdi className="line-clamp-3">{children}</bdi>
    </span>
  );
}
