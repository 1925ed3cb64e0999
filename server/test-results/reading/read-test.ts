import { repositoryUrl } from '#contract/base/forge-urls.ts';
import type { TestDetail, TestFailure, TestMessage } from '#contract/tests/tests.ts';
import type { Tx } from '#platform/database/database.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import type { Sealer } from '#platform/runtime/secrets/sealing.ts';
import { summaryOf, textOf } from './read-tests.ts';
import {
  findFailureSince,
  listDays,
  listFailures,
  listGroupsOfTest,
  listMessages,
  type MessageRow,
  type TestFailureRow,
  type RunOfFailureRow,
} from './test-page-store.ts';
import { findTests } from './test-store.ts';

/** Failures on the page of a test. */
const shownFailures = 50;

/** A test with its days and its newest failures. @throws AppError `not_found` */
export async function readTest(
  tx: Tx,
  sealer: Sealer,
  integrationId: string,
  testId: string,
): Promise<TestDetail> {
  const [row] = await findTests(tx, integrationId, [testId]);
  if (row === undefined) throw new AppError('not_found', { detail: 'Test not found.' });
  const [days, failures, messages] = await Promise.all([
    listDays(tx, integrationId, testId),
    listFailures(tx, integrationId, testId, shownFailures),
    listMessages(tx, integrationId, testId),
  ]);
  const first =
    row.state === 'broken' && row.brokenSince !== null
      ? await findFailureSince(tx, integrationId, testId, row.brokenSince)
      : undefined;
  return {
    ...summaryOf(row),
    days,
    firstFailure: first === undefined ? null : runOf(first),
    messages: messages.map((each) => messageOf(sealer, integrationId, each)),
    recentFailures: failures.map((each) => failureOf(sealer, integrationId, each)),
    failureGroups: await listGroupsOfTest(tx, integrationId, testId, shownFailures),
  };
}

function runOf({
  runId,
  runNumber,
  attempt,
  title,
  url,
  headSha,
  branch,
}: RunOfFailureRow): TestMessage['newest'] {
  return { runId, runNumber, attempt, title, headSha, branch, repositoryUrl: repositoryUrl(url) };
}

function failureOf(sealer: Sealer, integrationId: string, row: TestFailureRow): TestFailure {
  const { jobId, onDefaultBranch, isFlaky, at } = row;
  const { message } = textOf(sealer, integrationId, row);
  return { ...runOf(row), jobId, onDefaultBranch, isFlaky, message, at: at.toISOString() };
}

function messageOf(sealer: Sealer, integrationId: string, row: MessageRow): TestMessage {
  const { failures, flakes, firstAt, lastAt, branches } = row;
  return {
    failures,
    flakes,
    firstAt: firstAt.toISOString(),
    lastAt: lastAt.toISOString(),
    branches,
    ...textOf(sealer, integrationId, row),
    newest: runOf(row),
  };
}
