import { nodeId, stableId, type Account, type ForgeUrls } from './account.ts';

/** The two sizes in which a repository appears in payloads. */
export interface Repository {
  /** At the top of an event and in a pull request. */
  full: FullRepository;
  /** In a run: only its identity and URLs. */
  summary: RepositorySummary;
}

type FullRepository = ReturnType<typeof fullRepository>;
type RepositorySummary = ReturnType<typeof repositorySummary>;

export function repository(urls: ForgeUrls, owner: Account, name: string, fork = false): Repository {
  const summary = repositorySummary(urls, owner, name, fork);
  return { summary, full: fullRepository(urls, summary) };
}

function repositorySummary(urls: ForgeUrls, owner: Account, name: string, fork: boolean) {
  const fullName = `${owner.login}/${name}`;
  const id = stableId('repository', fullName, 200_000_000, 900_000_000);
  return Object.freeze({
    id,
    node_id: nodeId('R', id),
    name,
    full_name: fullName,
    private: !fork,
    owner,
    html_url: `${urls.web}/${fullName}`,
    description: fork ? null : `Source of ${name}`,
    fork,
    ...repositoryAddresses(`${urls.api}/repos/${fullName}`),
  });
}

function repositoryAddresses(api: string) {
  return {
    url: api,
    forks_url: `${api}/forks`,
    keys_url: `${api}/keys{/key_id}`,
    collaborators_url: `${api}/collaborators{/collaborator}`,
    teams_url: `${api}/teams`,
    hooks_url: `${api}/hooks`,
    issue_events_url: `${api}/issues/events{/number}`,
    events_url: `${api}/events`,
    assignees_url: `${api}/assignees{/user}`,
    branches_url: `${api}/branches{/branch}`,
    tags_url: `${api}/tags`,
    blobs_url: `${api}/git/blobs{/sha}`,
    git_tags_url: `${api}/git/tags{/sha}`,
    git_refs_url: `${api}/git/refs{/sha}`,
    trees_url: `${api}/git/trees{/sha}`,
    statuses_url: `${api}/statuses/{sha}`,
    languages_url: `${api}/languages`,
    stargazers_url: `${api}/stargazers`,
    contributors_url: `${api}/contributors`,
    subscribers_url: `${api}/subscribers`,
    subscription_url: `${api}/subscription`,
    commits_url: `${api}/commits{/sha}`,
    git_commits_url: `${api}/git/commits{/sha}`,
    comments_url: `${api}/comments{/number}`,
    issue_comment_url: `${api}/issues/comments{/number}`,
    contents_url: `${api}/contents/{+path}`,
    compare_url: `${api}/compare/{base}...{head}`,
    merges_url: `${api}/merges`,
    archive_url: `${api}/{archive_format}{/ref}`,
    downloads_url: `${api}/downloads`,
    issues_url: `${api}/issues{/number}`,
    pulls_url: `${api}/pulls{/number}`,
    milestones_url: `${api}/milestones{/number}`,
    notifications_url: `${api}/notifications{?since,all,participating}`,
    labels_url: `${api}/labels{/name}`,
    releases_url: `${api}/releases{/id}`,
    deployments_url: `${api}/deployments`,
  };
}

function fullRepository(urls: ForgeUrls, summary: RepositorySummary) {
  const host = new URL(urls.web).host;
  return Object.freeze({
    ...summary,
    created_at: '2024-02-19T08:11:52Z',
    updated_at: '2026-10-30T16:40:07Z',
    pushed_at: '2026-11-02T09:21:33Z',
    git_url: `git://${host}/${summary.full_name}.git`,
    ssh_url: `git@${host}:${summary.full_name}.git`,
    clone_url: `${urls.web}/${summary.full_name}.git`,
    svn_url: `${urls.web}/${summary.full_name}`,
    homepage: null,
    size: 1000 + (summary.id % 90_000),
    stargazers_count: summary.id % 40,
    watchers_count: summary.id % 40,
    language: 'TypeScript',
    has_issues: true,
    has_projects: false,
    has_downloads: true,
    has_wiki: false,
    has_pages: false,
    has_discussions: false,
    forks_count: summary.id % 7,
    mirror_url: null,
    archived: false,
    disabled: false,
    open_issues_count: summary.id % 60,
    license: null,
    allow_forking: true,
    is_template: false,
    web_commit_signoff_required: false,
    topics: [],
    visibility: summary.private ? 'private' : 'public',
    forks: summary.id % 7,
    open_issues: summary.id % 60,
    watchers: summary.id % 40,
    default_branch: 'main',
    custom_properties: {},
  });
}
