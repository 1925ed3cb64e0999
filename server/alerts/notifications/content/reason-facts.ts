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
  const facts: Fact[] = [
    // The failure of a job names it already.
    ...(jobId === null ? [{ name: 'Job', value: capped(job, 150) }] : []),
    ...(step === null ? [] : [{ name: 'Step', value: capped(step, 150), isQuote: true as const }]),
    { name: 'Error', value: capped(errorLine, longestLine), isQuote: true as const },
    ...(assessment === null
      ? []
      : [{ name: 'Assessment', value: capped(assessmentText(assessment, dayOf), longestLine) }]),
  ];
  // Discord refuses a message with an empty value.
  return facts.filter(({ value }) => value !== '');
}

function dayOf(time: string): string {
  return time.slice(0, 10);
}
