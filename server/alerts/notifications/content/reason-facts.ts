import type { Failure } from '#contract/alerts/incidents.ts';
import { assessmentText } from '#contract/failures/assessment-text.ts';
import type { NotifiedReason } from '#contract/alerts/incident-payloads.ts';
import type { Fact } from '#server/mail/facts-mail.ts';
import { capped } from './texts.ts';

const longestLine = 300;

/** The reason as plain text of bounded length. */
export function reasonFacts(reason: NotifiedReason | null, { jobId }: Pick<Failure, 'jobId'>): Fact[] {
  if (reason === null) return [];
  const { job, step, errorLine, assessment } = reason;
  return [
    // The failure of a job names it already.
    ...(jobId === null ? [{ name: 'Job', value: capped(job, 150) }] : []),
    ...(step === null ? [] : [{ name: 'Step', value: capped(step, 150) }]),
    { name: 'Error', value: capped(errorLine, longestLine) },
    ...(assessment === null
      ? []
      : [{ name: 'Assessment', value: capped(assessmentText(assessment, dayOf), longestLine) }]),
  ];
}

function dayOf(time: string): string {
  return time.slice(0, 10);
}
