import {
  mostQuarantined,
  quarantineDays,
  type QuarantineBody,
  type QuarantineList,
  type QuarantineQuery,
  type TestSummary,
} from '#contract/tests/tests.ts';
import type { Database, Tx } from '#platform/database/database.ts';
import { AppError, invalidField } from '#platform/runtime/app-error.ts';
import type { Log } from '#platform/runtime/log.ts';
import type { Service } from '#platform/runtime/service.ts';
import { repeat } from '#platform/runtime/tasks/repeat.ts';
import { dayMs } from '#platform/runtime/time-units.ts';
import { addLogEntry } from '#server/event-log/add-entry.ts';
import { announceTests, type ChangedTest } from '#server/webhook-events/announce-tests.ts';
import { readSummaries } from '../reading/read-tests.ts';
import { identityOf, listStatesWithRuns } from '../verdicts/state-store.ts';
import {
  countOthers,
  deleteEnded,
  deleteQuarantine,
  endedQuery,
  isMember,
  listIntegrationsWithEnded,
  listQuarantined,
  lockQuarantines,
  saveQuarantine,
} from './quarantine-store.ts';

interface Actor {
  integrationId: string;
  actorId: string;
}

/**
 * Puts a flaky test into quarantine, or changes its quarantine.
 * @throws AppError `not_found`, `test_broken`, `test_not_flaky`, `quarantine_limit_reached`, `invalid_request`
 */
export async function quarantineTest(
  tx: Tx,
  { integrationId, actorId }: Actor,
  testId: string,
  { reason, until, ownerId = actorId }: QuarantineBody,
): Promise<TestSummary> {
  const end = endOf(until, Date.now());
  await lockQuarantines(tx, integrationId);
  const test = await oneTest(tx, integrationId, testId);
  refuseState(test);
  if (!(await isMember(tx, integrationId, ownerId)))
    throw invalidField('ownerId', 'must be a member of the integration');
  if ((await countOthers(tx, integrationId, testId)) >= mostQuarantined)
    throw new AppError('quarantine_limit_reached', {
      detail: `The limit of ${mostQuarantined} tests in quarantine is reached. End another quarantine first.`,
    });
  await saveQuarantine(tx, integrationId, testId, { reason, ownerId, until: end });
  await addLogEntry(tx, {
    integrationId,
    type: 'test.quarantined',
    title: `The test ${nameOf(test)} of ${test.repository} is in quarantine until ${end.toISOString().slice(0, 10)}`,
    actorId,
    details: { testId, until: end.toISOString(), reason, ownerId },
  });
  return oneTest(tx, integrationId, testId);
}

/** @throws AppError `invalid_request` */
function endOf(until: string | undefined, now: number): Date {
  if (until === undefined) return new Date(now + quarantineDays.usual * dayMs);
  const end = Date.parse(until);
  if (end > now && end <= now + quarantineDays.most * dayMs) return new Date(end);
  throw invalidField('until', `must be in the future, at most ${quarantineDays.most} days from now`);
}

/** The failures of a broken test are true, so that nothing may hide them. */
function refuseState({ state, since, quarantine }: TestSummary): void {
  if (state === 'broken')
    throw new AppError('test_broken', {
      detail: `The test fails on the default branch since ${since}. Fix it. A test can be put into quarantine when it is flaky.`,
    });
  if (state !== 'flaky' && quarantine === null)
    throw new AppError('test_not_flaky', {
      detail: `The test is ${state}. Only flaky tests can be put into quarantine.`,
    });
}

/** @throws AppError `not_found` */
export async function endQuarantine(
  tx: Tx,
  { integrationId, actorId }: Actor,
  testId: string,
): Promise<void> {
  const test = await oneTest(tx, integrationId, testId);
  if (!(await deleteQuarantine(tx, integrationId, testId)))
    throw new AppError('not_found', { detail: 'The test is not in quarantine.' });
  await announceStates(tx, integrationId, [testId]);
  await addLogEntry(tx, {
    integrationId,
    type: 'test.quarantine_ended',
    title: `The quarantine of the test ${nameOf(test)} of ${test.repository} was ended`,
    actorId,
    details: { testId },
  });
}

/** Sends webhooks about tests that are broken or flaky when they leave their quarantine, which held them back until then. */
async function announceStates(tx: Tx, integrationId: string, testIds: readonly string[]): Promise<void> {
  if (testIds.length === 0) return;
  const states = await listStatesWithRuns(tx, integrationId, testIds);
  const since = (key: 'brokenSince' | 'flakySince'): ChangedTest[] =>
    states.flatMap(({ runId, attempt, branch, headSha, [key]: at, ...test }) =>
      at === null
        ? []
        : [
            {
              test: { ...identityOf(test), since: at.toISOString() },
              run: { runId, attempt, branch, headSha },
            },
          ],
    );
  const end = { at: new Date(), isQuarantineEnd: true };
  await announceTests(tx, integrationId, 'test.broken', { tests: since('brokenSince'), ...end });
  await announceTests(tx, integrationId, 'test.flaky', { tests: since('flakySince'), ...end });
}

async function oneTest(tx: Tx, integrationId: string, testId: string): Promise<TestSummary> {
  const [test] = await readSummaries(tx, integrationId, [testId]);
  if (test === undefined) throw new AppError('not_found', { detail: 'Test not found.' });
  return test;
}

function nameOf({ className, name }: { className: string; name: string }): string {
  const whole = className === '' ? name : `${className} › ${name}`;
  return whole.length > 200 ? `${whole.slice(0, 199)}…` : whole;
}

export async function readQuarantined(
  tx: Tx,
  integrationId: string,
  query: QuarantineQuery,
): Promise<QuarantineList> {
  const ids = await listQuarantined(tx, integrationId, query);
  const tests = new Map((await readSummaries(tx, integrationId, ids)).map((each) => [each.testId, each]));
  return {
    items: ids.flatMap((id) => {
      const test = tests.get(id);
      if (test === undefined || test.quarantine === null) return [];
      const { testId, repository, suite, className, name, file, quarantine } = test;
      return [{ testId, repository, suite, className, name, file, quarantine }];
    }),
  };
}

/** A line for each test: its class, a tab and its name. */
export function quarantineText({ items }: QuarantineList): string {
  const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ');
  return items.map(({ className, name }) => `${oneLine(className)}\t${oneLine(name)}\n`).join('');
}

const everyMs = 30_000;

/** Ends quarantines whose time is over, and tells the event log and receivers of webhooks. */
export function makeQuarantineEnds({ db, log }: { db: Database; log: Log }): Service {
  return repeat(log, 'ends of test quarantines', everyMs, async (signal) => {
    if (!(await db.hasRow(endedQuery))) return;
    for (const integrationId of await db.withScope('service', listIntegrationsWithEnded)) {
      if (signal.aborted) return;
      await db.withScope({ integrationId }, async (tx) => {
        const all = await deleteEnded(tx, integrationId);
        await announceStates(
          tx,
          integrationId,
          all.map(({ testId }) => testId),
        );
        for (const ended of all)
          await addLogEntry(tx, {
            integrationId,
            type: 'test.quarantine_ended',
            severity: 'warning',
            title: `The time of the quarantine of the test ${nameOf(ended)} of ${ended.repository} is over`,
            actorId: null,
            details: { testId: ended.testId, repository: ended.repository },
          });
      });
    }
  });
}
