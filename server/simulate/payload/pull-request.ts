import { nodeId, stableId, type Account, type Organization } from './account.ts';
import type { labels as knownLabels } from '../traffic/names.ts';
import type { Repository } from './repository.ts';
import { wholeSecond, wholeSecondOrNull } from './times.ts';

export type PullRequestAction =
  | 'opened'
  | 'edited'
  | 'labeled'
  | 'synchronize'
  | 'converted_to_draft'
  | 'ready_for_review'
  | 'closed';

type Label = (typeof knownLabels)[number];

/** The state of a pull request at one moment. */
export interface PullRequestState {
  id: number;
  number: number;
  repository: Repository;
  headRepository: Repository;
  author: Account;
  title: string;
  headBranch: string;
  headSha: string;
  baseBranch: string;
  baseSha: string;
  isDraft: boolean;
  labels: readonly Label[];
  commits: number;
  changedLines: number;
  createdAt: number;
  updatedAt: number;
  closedAt: number | null;
  /** Set when it was merged, at `closedAt`. */
  merge: { sha: string; by: Account } | null;
}

/** Fields of some actions: the label, the old and new head, the old title. */
export interface PullRequestChange {
  label?: Label;
  before?: string;
  after?: string;
  changes?: { title: { from: string } };
}

export type PullRequestPayload = ReturnType<typeof pullRequestPayload>;

/** The body of a `pull_request` event. */
export function pullRequestPayload(
  organization: Organization,
  action: PullRequestAction,
  state: PullRequestState,
  sender: Account,
  { label, ...change }: PullRequestChange = {},
) {
  return {
    action,
    number: state.number,
    pull_request: { ...reducedPullRequest(state), ...detail(state) },
    ...change,
    ...(label === undefined ? {} : { label: labelObject(state.repository, label) }),
    repository: state.repository.full,
    organization,
    sender,
  };
}

/** How runs refer to the pull request they belong to. */
export function pullRequestReference(state: PullRequestState) {
  return {
    url: `${state.repository.summary.url}/pulls/${state.number}`,
    id: state.id,
    number: state.number,
    head: { ref: state.headBranch, sha: state.headSha, repo: repositoryReference(state.headRepository) },
    base: { ref: state.baseBranch, sha: state.baseSha, repo: repositoryReference(state.repository) },
  };
}

export type PullRequestReference = ReturnType<typeof pullRequestReference>;

function repositoryReference({ summary: { id, url, name } }: Repository) {
  return { id, url, name };
}

/** The reduced object in a review, without `merged` and counts. */
export function reducedPullRequest(state: PullRequestState) {
  const { repository, number } = state;
  const page = `${repository.full.html_url}/pull/${number}`;
  return {
    id: state.id,
    node_id: nodeId('PR', state.id),
    html_url: page,
    diff_url: `${page}.diff`,
    patch_url: `${page}.patch`,
    number,
    state: state.closedAt === null ? 'open' : 'closed',
    locked: false,
    title: state.title,
    user: state.author,
    body: `${state.title}.\n\nTested by hand and by the suite.`,
    created_at: wholeSecond(state.createdAt),
    updated_at: wholeSecond(state.updatedAt),
    closed_at: wholeSecondOrNull(state.closedAt),
    merged_at: state.merge === null ? null : wholeSecondOrNull(state.closedAt),
    merge_commit_sha: state.merge?.sha ?? null,
    assignee: null,
    assignees: [] as Account[],
    requested_reviewers: [] as Account[],
    requested_teams: [] as object[],
    labels: state.labels.map((label) => labelObject(repository, label)),
    milestone: null,
    draft: state.isDraft,
    ...addresses(state),
    head: branchEnd(state.headRepository, state.headBranch, state.headSha),
    base: branchEnd(repository, state.baseBranch, state.baseSha),
    author_association: state.headRepository === repository ? 'MEMBER' : 'CONTRIBUTOR',
    auto_merge: null,
    active_lock_reason: null,
  };
}

function detail(state: PullRequestState) {
  return {
    merged: state.merge !== null,
    mergeable: state.closedAt === null ? true : null,
    rebaseable: state.closedAt === null ? true : null,
    mergeable_state: state.closedAt === null ? 'clean' : 'unknown',
    merged_by: state.merge?.by ?? null,
    comments: 0,
    review_comments: 0,
    maintainer_can_modify: false,
    commits: state.commits,
    additions: state.changedLines,
    deletions: Math.floor(state.changedLines / 3),
    changed_files: 1 + (state.changedLines % 9),
  };
}

function addresses({ repository, number, headSha }: PullRequestState) {
  const { url: api, html_url: page } = repository.full;
  const links = {
    self: `${api}/pulls/${number}`,
    html: `${page}/pull/${number}`,
    issue: `${api}/issues/${number}`,
    comments: `${api}/issues/${number}/comments`,
    review_comments: `${api}/pulls/${number}/comments`,
    review_comment: `${api}/pulls/comments{/number}`,
    commits: `${api}/pulls/${number}/commits`,
    statuses: `${api}/statuses/${headSha}`,
  };
  return {
    url: links.self,
    issue_url: links.issue,
    commits_url: links.commits,
    review_comments_url: links.review_comments,
    review_comment_url: links.review_comment,
    comments_url: links.comments,
    statuses_url: links.statuses,
    _links: Object.fromEntries(Object.entries(links).map(([name, href]) => [name, { href }])),
  };
}

function branchEnd({ full }: Repository, ref: string, sha: string) {
  return { label: `${full.owner.login}:${ref}`, ref, sha, user: full.owner, repo: full };
}

function labelObject({ full }: Repository, { name, color, description }: Label) {
  const id = stableId('label', `${full.full_name}/${name}`, 1_000_000_000, 2_000_000_000);
  const url = `${full.url}/labels/${encodeURIComponent(name)}`;
  return { id, node_id: nodeId('LA', id), url, name, color, default: name === 'bug', description };
}
