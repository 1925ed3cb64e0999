import type { Failure, Incident } from '#contract/alerts/incidents.ts';
import { capped } from './texts.ts';

type Subject = Pick<Incident, 'kind' | 'subject' | 'repository' | 'workflow'>;

/** `CI in acme/site: Did not run for 1 d`. The labels of waiting jobs stand for themselves. */
export function watchTitle({ kind, subject, repository, workflow }: Subject, text: string): string {
  if (kind === 'queued_too_long') return `Queue of ${capped(subject ?? '', 100)}: ${text}`;
  if (kind === 'test_broken' || kind === 'test_flaky')
    return `${capped(subject ?? '', 150)} in ${capped(repository, 140)}: ${text}`;
  const job = subject === null ? '' : `${capped(subject, 100)} of `;
  return `${job}${capped(workflow ?? 'A workflow', 100)} in ${capped(repository, 140)}: ${text}`;
}

/** The page of the test that changed, or of the run in which several did. It lists them. */
export function testUrl(
  publicUrl: string,
  integrationId: string,
  { testId, runId, attempt }: Pick<Failure, 'testId' | 'runId' | 'attempt'>,
): string {
  const base = `${publicUrl}/integrations/${integrationId}`;
  return testId === undefined ? `${base}/runs/${runId}?attempt=${attempt}` : `${base}/tests/${testId}`;
}
