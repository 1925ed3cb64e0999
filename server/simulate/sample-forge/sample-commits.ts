import { account } from '../payload/objects.ts';

export interface SampleCommit {
  sha: string;
  message: string;
  author: string;
  at: string;
  parents: readonly string[];
  files: readonly string[];
}

/** A commit as GitHub shows it. */
export function commitObject(apiUrl: string, repository: string, commit: SampleCommit) {
  const { sha, message, author, at, parents, files } = commit;
  const url = `${apiUrl}/repos/${repository}/commits/${sha}`;
  const person = { name: author, email: `${author}@example.com`, date: at };
  const user = account(author);
  return {
    url,
    sha,
    node_id: sha,
    html_url: `${apiUrl}/${repository}/commit/${sha}`,
    comments_url: `${url}/comments`,
    commit: {
      url,
      author: person,
      committer: person,
      message,
      comment_count: 0,
      tree: { sha, url },
    },
    author: user,
    committer: user,
    parents: parents.map((parent) => ({
      sha: parent,
      url: `${apiUrl}/repos/${repository}/commits/${parent}`,
    })),
    files: files.map((filename) => fileObject(url, filename)),
  };
}

function fileObject(url: string, filename: string) {
  return {
    sha: 'f'.repeat(40),
    filename,
    status: 'modified',
    additions: 1,
    deletions: 1,
    changes: 2,
    blob_url: url,
    raw_url: url,
    contents_url: url,
  };
}

/** A comparison as GitHub shows it: the commits without files, and the files of all of them. */
export function comparisonObject(
  apiUrl: string,
  repository: string,
  base: SampleCommit,
  commits: readonly SampleCommit[],
  total = commits.length,
) {
  const url = `${apiUrl}/repos/${repository}/compare/${base.sha}...${commits.at(-1)?.sha ?? base.sha}`;
  const shown = (commit: SampleCommit) => {
    const { files: _files, ...object } = commitObject(apiUrl, repository, commit);
    return object;
  };
  return {
    url,
    html_url: url,
    permalink_url: url,
    diff_url: url,
    patch_url: url,
    base_commit: shown(base),
    merge_base_commit: shown(base),
    status: commits.length === 0 ? 'identical' : 'ahead',
    ahead_by: total,
    behind_by: 0,
    total_commits: total,
    commits: commits.map(shown),
    files: [...new Set(commits.flatMap(({ files }) => files))].map((file) => fileObject(url, file)),
  };
}

const others = [
  { message: 'Update dependencies', author: 'sam-sample', files: ['package.json', 'package-lock.json'] },
  { message: 'Explain the settings in the guide', author: 'ola-example', files: ['docs/settings.md'] },
];

/** The commits up to a pushed one, oldest first: many are pushed alone, some with one or two before them. */
export function pushedCommits(base: string, pushed: Omit<SampleCommit, 'parents'>): SampleCommit[] {
  const before = others
    .slice(0, Number.parseInt(pushed.sha[0] ?? '0', 16) % 3)
    .map((other, index) => ({ ...other, sha: `${index}${pushed.sha.slice(1)}`, at: pushed.at }))
    .filter(({ sha }) => sha !== pushed.sha);
  let parent = base;
  return [...before, pushed].map((commit) => {
    const parents = [parent];
    parent = commit.sha;
    return { ...commit, parents };
  });
}
