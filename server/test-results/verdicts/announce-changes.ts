import type { Tx } from '#platform/database/database.ts';
import { announceTests, type ChangedTest } from '#server/webhook-events/announce-tests.ts';
import type { RunOfReport } from '../storing/report-store.ts';
import { listStates, type TestIdentity } from './state-store.ts';

interface Change {
  testIds: readonly string[];
  run: number;
  attempt: number;
  about: RunOfReport;
}

/** Runs `work`, which may change the states of the tests, and sends webhooks about those that became broken or flaky. */
export async function announcingChanges(
  tx: Tx,
  integrationId: string,
  { testIds, run, attempt, about }: Change,
  work: () => Promise<void>,
): Promise<void> {
  if (testIds.length === 0) return;
  const before = new Map(
    (await listStates(tx, integrationId, testIds)).map((state) => [state.testId, state]),
  );
  await work();
  const ofRun = { runId: run, attempt, branch: about.headBranch, headSha: about.headSha };
  const after = await listStates(tx, integrationId, testIds);
  const since = (key: 'brokenSince' | 'flakySince'): ChangedTest[] =>
    after.flatMap((state) => {
      const at = state[key];
      if (at === null || (before.get(state.testId)?.[key] ?? null) !== null) return [];
      return [{ test: { ...identityOf(state), since: at.toISOString() }, run: ofRun }];
    });
  await announceTests(tx, integrationId, 'test.broken', { tests: since('brokenSince'), at: about.at });
  await announceTests(tx, integrationId, 'test.flaky', { tests: since('flakySince'), at: about.at });
}

function identityOf({ testId, repository, suite, className, name, file }: TestIdentity): TestIdentity {
  return { testId, repository, suite, className, name, file };
}
