import { fields, type Fields } from '#platform/runtime/json-fields.ts';
import { listed } from './listed.ts';
import type { ForgeCommit } from './port.ts';

/** GitHub, Gitea and Forgejo describe commits alike. Those without a SHA are left out. */
export function commitsOf(list: unknown): ForgeCommit[] {
  return listed(list).flatMap((commit) => commitOf(commit) ?? []);
}

/** The paths of changed files. A renamed file counts with both names. */
export function filesOf(list: unknown): string[] {
  return listed(list).flatMap(({ filename, previous_filename: former }) =>
    [filename, former].filter((name) => typeof name === 'string'),
  );
}

/** The number of commits that a comparison counts; at least those that it lists. */
export function totalOf({ total_commits: total }: Fields, listedCommits: number): number {
  return typeof total === 'number' && Number.isSafeInteger(total)
    ? Math.max(total, listedCommits)
    : listedCommits;
}

function commitOf({ sha, commit, author, parents, files }: Fields): ForgeCommit | undefined {
  if (typeof sha !== 'string') return undefined;
  const { message, author: signature } = fields(commit);
  const { name, date } = fields(signature);
  const { login } = fields(author);
  return {
    sha,
    message: typeof message === 'string' ? message : '',
    author: textOf(login) ?? textOf(name),
    at: typeof date === 'string' && !Number.isNaN(Date.parse(date)) ? new Date(date).toISOString() : null,
    parents: listed(parents).flatMap(({ sha: parent }) => (typeof parent === 'string' ? [parent] : [])),
    files: Array.isArray(files) ? filesOf(files) : undefined,
  };
}

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
