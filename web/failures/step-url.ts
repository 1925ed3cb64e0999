import type { FailedStep, LogExcerpt } from '#contract/failures/failure-reason.ts';
import { safeUrl } from '../ui/text/safe-url.ts';

/** The page of the job at the forge. GitHub opens the step and line of a fragment; other forges open the job. */
export function stepUrl(
  jobUrl: string | null,
  step: FailedStep | null,
  firstLineOfStep: LogExcerpt['firstLineOfStep'] = null,
): string | undefined {
  const url = safeUrl(jobUrl);
  if (url === undefined || step === null || !/\/job\/\d+$/.test(url)) return url;
  return `${url}#step:${step.number}:${firstLineOfStep ?? 1}`;
}
