import type { TestFacts } from '#contract/integrations/webhook-payloads.ts';
import type { Tx } from '#platform/database/database.ts';
import { insertEvents, isNews } from './store.ts';

/** A test whose state has just changed, and the run that shows it. */
export type ChangedTest = Omit<TestFacts, 'integrationId'>;

/** Of one report, or of the quarantines that end together. One cause can break thousands. */
const mostTests = 100;

/**
 * Sends webhooks about tests that became broken or flaky, in the transaction that stores the report or the end of their quarantine. The end is
 * news of its own: a test that was flaky before its quarantine is still flaky since the same time.
 */
export async function announceTests(
  tx: Tx,
  integrationId: string,
  type: 'test.broken' | 'test.flaky',
  {
    tests,
    at,
    isQuarantineEnd = false,
  }: { tests: readonly ChangedTest[]; at: Date; isQuarantineEnd?: boolean },
): Promise<void> {
  if (tests.length === 0 || !isNews(at.getTime(), Date.now())) return;
  const events = tests.slice(0, mostTests).map(({ test, run }) => ({
    integrationId,
    key: `${test.testId}/${test.since}${isQuarantineEnd ? `/${at.toISOString()}` : ''}`,
    facts: { integrationId, test, run } satisfies TestFacts,
  }));
  await insertEvents(tx, type, events);
}
