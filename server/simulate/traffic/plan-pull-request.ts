import type { PlannedEvent } from '../event.ts';
import type { Account } from '../payload/account.ts';
import * as names from './names.ts';
import { nextChange } from './next-change.ts';
import { planReview } from './plan-review.ts';
import {
  pullRequestPayload,
  type PullRequestAction,
  type PullRequestChange,
  type PullRequestState,
} from '../payload/pull-request.ts';
import type { World } from './world.ts';

/** The input of a pull request's plan. `startedAt` is the time of the opening. */
interface PullRequestOpening {
  subject: Pick<
    PullRequestState,
    'repository' | 'headRepository' | 'author' | 'title' | 'headBranch' | 'baseBranch'
  >;
  startedAt: number;
  isMergeable: boolean;
}

/** The pull request at each change of its head, for the runs that follow, and its final state. */
interface PullRequestPlan {
  events: PlannedEvent[];
  heads: readonly PullRequestState[];
  final: PullRequestState;
}

/** A pull request while it is planned: its current state and its events so far. */
export interface OpenPullRequest {
  readonly events: PlannedEvent[];
  state: PullRequestState;
  /** Accounts other than the author. */
  readonly reviewers: readonly Account[];
}

/** Plans a pull request from opening to closing: changes of draft, labels and title, pushes and reviews. */
export function planPullRequest(world: World, opening: PullRequestOpening): PullRequestPlan {
  const { random } = world;
  const pull = begin(world, opening);
  const heads = [pull.state];
  addLabels(world, pull);
  if (random.chance(0.25)) rename(world, pull);
  if (!pull.state.isDraft && random.chance(0.12)) setDraft(world, pull, true);
  planReview(world, pull, random.chance(0.5) ? 'commented' : 'changes_requested');
  if (random.chance(0.5)) {
    push(world, pull);
    heads.push(pull.state);
  }
  if (pull.state.isDraft) setDraft(world, pull, false);
  if (random.chance(0.8)) planReview(world, pull, 'approved');
  close(world, pull, opening.isMergeable && random.chance(0.85));
  return { events: pull.events, heads, final: pull.state };
}

function begin(world: World, opening: PullRequestOpening): OpenPullRequest {
  const { random } = world;
  const state: PullRequestState = {
    ...opening.subject,
    id: world.nextId('pullRequest'),
    number: world.nextNumber(`pulls/${opening.subject.repository.full.id}`),
    headSha: random.hex(40),
    baseSha: random.hex(40),
    isDraft: random.chance(0.25),
    labels: [],
    commits: random.int(1, 4),
    changedLines: random.int(2, 400),
    createdAt: opening.startedAt,
    updatedAt: opening.startedAt,
    closedAt: null,
    merge: null,
  };
  const reviewers = world.people.filter((person) => person !== state.author);
  const pull = { events: [], state, reviewers };
  record(world, pull, 'opened', state.author);
  return pull;
}

function record(
  world: World,
  pull: OpenPullRequest,
  action: PullRequestAction,
  sender: Account,
  change?: PullRequestChange,
): void {
  const { state } = pull;
  pull.events.push({
    at: state.updatedAt,
    build: () => ({
      eventType: 'pull_request',
      payload: pullRequestPayload(world.organization, action, state, sender, change),
    }),
  });
}

function addLabels(world: World, pull: OpenPullRequest): void {
  const isUpgrade = world.bots.includes(pull.state.author);
  const wanted = names.labels.filter(({ name }) => (name === 'dependencies') === isUpgrade);
  for (const label of world.random.shuffled(wanted).slice(0, world.random.int(1, 2))) {
    const updatedAt = nextChange(world, pull.state, 2, 30);
    pull.state = { ...pull.state, updatedAt, labels: [...pull.state.labels, label] };
    record(world, pull, 'labeled', world.random.pick(pull.reviewers), { label });
  }
}

function rename(world: World, pull: OpenPullRequest): void {
  const { title: from, author } = pull.state;
  pull.state = { ...pull.state, updatedAt: nextChange(world, pull.state, 5, 60), title: `${from} (again)` };
  record(world, pull, 'edited', author, { changes: { title: { from } } });
}

function setDraft(world: World, pull: OpenPullRequest, isDraft: boolean): void {
  pull.state = { ...pull.state, updatedAt: nextChange(world, pull.state, 5, 90), isDraft };
  record(world, pull, isDraft ? 'converted_to_draft' : 'ready_for_review', pull.state.author);
}

function push(world: World, pull: OpenPullRequest): void {
  const [before, after] = [pull.state.headSha, world.random.hex(40)];
  const { commits, changedLines } = pull.state;
  const updatedAt = nextChange(world, pull.state, 60, 240);
  pull.state = {
    ...pull.state,
    updatedAt,
    headSha: after,
    commits: commits + 1,
    changedLines: changedLines + 7,
  };
  record(world, pull, 'synchronize', pull.state.author, { before, after });
}

function close(world: World, pull: OpenPullRequest, isMerged: boolean): void {
  const closedAt = nextChange(world, pull.state, 60, 240);
  const by = world.random.pick(pull.reviewers);
  const merge = isMerged ? { sha: world.random.hex(40), by } : null;
  pull.state = { ...pull.state, updatedAt: closedAt, closedAt, merge };
  record(world, pull, 'closed', by);
}
