import { maxRangeCommits } from '#contract/failures/commits.ts';
import { storableText } from '#platform/database/rows/storable-text.ts';
import { readWaiting, type ReadWaitingDeps } from '#server/forge-tasks/read-waiting.ts';
import type { Connection } from '#server/forge-tasks/task-kind.ts';
import type { Comparison, Forge, ForgeCommit } from '#server/forges/port.ts';
import { maskProse } from '#server/masking/mask-text.ts';
import { countStreamChange } from '#server/realtime/outbox/read-position.ts';
import type { Turn } from '#server/tasks/task.ts';
import { maxCandidates } from '../blame/candidates.ts';
import {
  listWaitingRanges,
  storeRange,
  type ReadRange,
  type StoredCommit,
  type WaitingRange,
} from './commit-range-store.ts';

/** With more commits in a range, their files are not read: each takes a call. */
const maxCommitsWithFiles = 20;
const maxFiles = 300;
const lengths = { title: 250, author: 100, path: 500 };

/** Reads ranges of commits through one connection. A commit may be gone after a forced push. */
export function readCommits(
  deps: ReadWaitingDeps,
  connection: Connection,
  turn: Turn,
): Promise<number | undefined> {
  return readWaiting(deps, connection, turn, {
    list: listWaitingRanges,
    read: readRange,
    store: async (tx, integrationId, range, read) => {
      await storeRange(tx, integrationId, range, read);
      // Cached answers contain deployments with what they brought.
      if (!range.isOfFailure) await countStreamChange(tx, integrationId);
    },
  });
}

async function readRange(forge: Forge, range: WaitingRange): Promise<ReadRange> {
  const found = await forge.compareCommits(range.fullName, range.baseSha, range.headSha, maxRangeCommits);
  if (range.isOfFailure && found.total <= maxCommitsWithFiles)
    for (const commit of found.commits) commit.files ??= await forge.listFilesOf(range.fullName, commit.sha);
  return storedRange(found, range.headSha);
}

function storedRange({ total, commits }: Comparison, headSha: string): ReadRange {
  const onBranch = branchShas(commits, headSha);
  const stored = commits.map((commit) => storedCommit(commit, onBranch.has(commit.sha)));
  return {
    total,
    commits: stored,
    branchCommits: stored
      .filter(({ isOnBranch }) => isOnBranch)
      .slice(-maxCandidates)
      .map(({ sha, title, author }) => ({ sha, title, author })),
  };
}

function storedCommit({ sha, message, author, at, files }: ForgeCommit, isOnBranch: boolean): StoredCommit {
  return {
    sha: storableText(sha, 64) ?? '',
    title: proseOf(message.split('\n', 1)[0] ?? '', lengths.title),
    author: author === null ? null : proseOf(author, lengths.author),
    at,
    isOnBranch,
    files: files?.slice(0, maxFiles).flatMap((path) => storableText(path, lengths.path) ?? []) ?? null,
  };
}

function proseOf(text: string, most: number): string | null {
  return storableText(maskProse(text.slice(0, 2 * most)), most);
}

/**
 * The SHAs of the commits that a branch itself was at: from its newest commit on, each first parent. The others came with a merge.
 * `commits` are oldest first.
 */
export function branchShas(
  commits: readonly { sha: string; parents: readonly string[] }[],
  head: string,
): ReadonlySet<string> {
  const bySha = new Map(commits.map((commit) => [commit.sha, commit]));
  const found = new Set<string>();
  let next = bySha.get(head) ?? commits.at(-1);
  while (next !== undefined && !found.has(next.sha)) {
    found.add(next.sha);
    next = bySha.get(next.parents[0] ?? '');
  }
  return found;
}
