import { maxNamedFiles, type RangeCommit, type RunCommits } from '#contract/failures/commits.ts';
import type { JobFailure } from '#contract/failures/failures.ts';
import { isRed } from '#contract/runs/conclusions.ts';
import { repositoryUrl } from '#contract/base/forge-urls.ts';
import type { Tx } from '#platform/database/database.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import type { Sealer } from '#platform/runtime/secrets/sealing.ts';
import { readRun } from '#server/runs/read-run.ts';
import { readRedStreaks } from '../blame/blame.ts';
import { listStreakStarts, type StreakStart } from '../blame/streak-start-store.ts';
import { readRunFailures } from '../run-failures/read-run-failures.ts';
import { findKnown, findRange, type RangeRow, type StoredCommit } from './commit-range-store.ts';
import { makeNamedFiles } from './named-files.ts';
import { rangeOf, requestCommits } from './request-commits.ts';

const none: RunCommits = {
  state: 'none',
  lastGreen: null,
  firstRed: null,
  repositoryUrl: null,
  commits: [],
  total: 0,
};

/**
 * The commits that can have made the workflow of a run red, as of that run. Asks the forge for them if they were not read yet.
 * @throws AppError `not_found`
 */
export async function readRunCommits(
  tx: Tx,
  sealer: Sealer,
  integrationId: string,
  runId: number,
): Promise<RunCommits> {
  const detail = await readRun(tx, integrationId, runId);
  if (detail === undefined) throw new AppError('not_found', { detail: 'Run not found.' });
  if (!isRed(detail.run.conclusion)) return none;
  const streak = (await readRedStreaks(tx, integrationId, [runId], 'run')).get(runId);
  const mayList = streak !== undefined && [null, 'several_commits', 'merge_group'].includes(streak.noBlame);
  const [start] = mayList ? await listStreakStarts(tx, integrationId, [runId], 'run') : [];
  const range = start && rangeOf(start);
  if (start === undefined || range === undefined) return none;
  const head = {
    lastGreen: start.lastGreen,
    firstRed: { runId: start.firstRunId, sha: start.firstSha },
    repositoryUrl: repositoryUrl(start.firstUrl),
  };
  await requestCommits(tx, integrationId, [start]);
  const row = await findRange(tx, integrationId, range);
  if (row === undefined) return { ...head, state: 'no_connection', commits: [], total: 0 };
  if (row.state !== 'read')
    return { ...head, state: row.state === 'waiting' ? 'reading' : 'unreadable', commits: [], total: 0 };
  const { items } = await readRunFailures(tx, sealer, integrationId, runId, undefined);
  const isNamed = makeNamedFiles(items.flatMap(errorTexts));
  return { ...head, state: 'read', ...(await shownCommits(tx, integrationId, start, row, isNamed)) };
}

/** The line of the error, and what follows it in the log, such as a stack. */
function errorTexts({ errorLine, excerpts }: JobFailure): string[] {
  return [
    errorLine,
    ...excerpts.flatMap(({ lines }) => {
      const first = lines.findIndex(({ isError }) => isError);
      return first < 0 ? [] : lines.slice(first).map(({ spans }) => spans.map(({ text }) => text).join(''));
    }),
  ];
}

async function shownCommits(
  tx: Tx,
  integrationId: string,
  { repository, firstRunId }: StreakStart,
  { total, commits }: RangeRow,
  isNamed: (path: string) => boolean,
): Promise<Pick<RunCommits, 'commits' | 'total'>> {
  const numbers = commits.flatMap(({ title }) => pullRequestOf(title) ?? []);
  const known = await findKnown(
    tx,
    integrationId,
    { repository, runId: firstRunId },
    { shas: commits.map(({ sha }) => sha), numbers },
  );
  const shown = ({ files, ...commit }: StoredCommit): RangeCommit => {
    const number = pullRequestOf(commit.title);
    return {
      ...commit,
      runId: known.runs.get(commit.sha) ?? null,
      pullRequest: number !== undefined && known.pullRequests.has(number) ? number : null,
      files: files?.filter(isNamed).slice(0, maxNamedFiles) ?? null,
    };
  };
  return { total, commits: commits.map(shown) };
}

const ofPullRequest = /^Merge pull request #(\d{1,15})\b|\(#(\d{1,15})\)$/;

/** The pull request that a forge writes into the title when it merges. */
function pullRequestOf(title: string | null): number | undefined {
  const [, merged, squashed] = ofPullRequest.exec(title ?? '') ?? [];
  const number = Number(merged ?? squashed ?? NaN);
  return Number.isSafeInteger(number) ? number : undefined;
}
