import { label } from '../plan/names.ts';
import { stableNumber } from '../random.ts';
import { fill, organization, wholeSecond, type Account, type Repository } from './objects.ts';

export interface PullRequest {
  id: number;
  number: number;
  repository: Repository;
  /** The repository itself or a fork. */
  headRepository: Repository;
  author: Account;
  title: string;
  headBranch: string;
  headSha: string;
  baseSha: string;
  isDraft: boolean;
  isLabeled: boolean;
  createdAt: number;
  updatedAt: number;
  closedAt: number | null;
  /** Set when it was merged, at `closedAt`. */
  merge: { sha: string; by: Account } | null;
}

export interface Review {
  id: number;
  reviewer: Account;
  state: 'approved' | 'changes_requested' | 'commented' | 'dismissed';
  body: string | null;
  commitSha: string;
  submittedAt: number;
}

/** Fields of some actions: the old and new head, the label. */
interface Extra {
  before?: string;
  after?: string;
  label?: ReturnType<typeof labelObject>;
}

export function pullRequestPayload(action: string, pull: PullRequest, sender: Account, extra: Extra = {}) {
  const detail = { merged: pull.merge !== null, merged_by: pull.merge?.by ?? null };
  return {
    action,
    number: pull.number,
    pull_request: { ...pullRequestObject(pull), ...fill('pullRequestDetail', {}), ...detail },
    ...extra,
    repository: pull.repository.full,
    organization,
    sender,
  };
}

/** The body of a `pull_request_review` event, with a smaller pull request. */
export function reviewPayload(action: string, review: Review, pull: PullRequest) {
  const values = { repo: pull.repository.full.full_name, number: pull.number, id: review.id };
  return {
    action,
    review: {
      id: review.id,
      user: review.reviewer,
      body: review.body,
      commit_id: review.commitSha,
      submitted_at: wholeSecond(review.submittedAt),
      updated_at: wholeSecond(pull.updatedAt),
      state: review.state,
      ...fill('review', values),
    },
    pull_request: pullRequestObject(pull),
    repository: pull.repository.full,
    organization,
    sender: review.reviewer,
  };
}

export type PullRequestReference = ReturnType<typeof pullRequestReference>;

/** How runs refer to the pull request they belong to. */
export function pullRequestReference({ repository, number, id, ...pull }: PullRequest) {
  const { summary } = repository;
  const repo = { id: summary.id, url: summary.url, name: summary.name };
  return {
    url: `${summary.url}/pulls/${number}`,
    id,
    number,
    head: { ref: pull.headBranch, sha: pull.headSha, repo },
    base: { ref: 'main', sha: pull.baseSha, repo },
  };
}

export function labelObject({ full }: Repository) {
  const id = stableNumber(`label/${full.full_name}`, 1_000_000_000, 2_000_000_000);
  const url = `${full.url}/labels/${encodeURIComponent(label.name)}`;
  return { id, node_id: `LA_kwDO${id}`, url, default: false, ...label };
}

function pullRequestObject(pull: PullRequest) {
  const { repository, headRepository, number, headSha } = pull;
  const isFork = headRepository.full.fork;
  return {
    id: pull.id,
    number,
    state: pull.closedAt === null ? 'open' : 'closed',
    title: pull.title,
    user: pull.author,
    body: `${pull.title}.\n\nTested by hand and by the suite.`,
    created_at: wholeSecond(pull.createdAt),
    updated_at: wholeSecond(pull.updatedAt),
    closed_at: wholeSecond(pull.closedAt),
    merged_at: pull.merge === null ? null : wholeSecond(pull.closedAt),
    merge_commit_sha: pull.merge?.sha ?? null,
    ...fill('pullRequest', { repo: repository.full.full_name, number, sha: headSha, id: pull.id }),
    assignees: [] as Account[],
    requested_reviewers: [] as Account[],
    requested_teams: [] as object[],
    labels: pull.isLabeled ? [labelObject(repository)] : [],
    draft: pull.isDraft,
    head: branchEnd(headRepository, pull.headBranch, headSha),
    base: branchEnd(repository, 'main', pull.baseSha),
    author_association: isFork ? 'CONTRIBUTOR' : 'MEMBER',
  };
}

function branchEnd({ full }: Repository, ref: string, sha: string) {
  return { label: `${full.owner.login}:${ref}`, ref, sha, user: full.owner, repo: full };
}
