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

/** What a story starts from; `startedAt` is the opening. */
interface PullRequestOpening {
  subject: Pick<
    PullRequestState,
    'repository' | 'headRepository' | 'author' | 'title' | 'headBranch' | 'baseBranch'
  >;
  startedAt: number;
  isMergeable: boolean;
}

/** The pull request at each moment its head changed, for the runs that follow, and how it ended. */
interface PullRequestPlan {
  events: PlannedEvent[];
  heads: readonly PullRequestState[];
  final: PullRequestState;
}

/** One pull request while it is being told: its present state, and what happened so far. */
export interface PullRequestTale {
  readonly events: PlannedEvent[];
  state: PullRequestState;
  /** Nobody reviews their own pull request. */
  readonly reviewers: readonly Account[];
}

/** Plans a pull request from its opening to its closing: changes of draft, labels and title, pushes, reviews. */
export function planPullRequest(world: World, opening: PullRequestOpening): PullRequestPlan {
  const { random } = world;
  const tale = begin(world, opening);
  const heads = [tale.state];
  addLabels(world, tale);
  if (random.chance(0.25)) rename(world, tale);
  if (!tale.state.isDraft && random.chance(0.12)) turnDraft(world, tale, true);
  planReview(world, tale, random.chance(0.5) ? 'commented' : 'changes_requested');
  if (random.chance(0.5)) {
    push(world, tale);
    heads.push(tale.state);
  }
  if (tale.state.isDraft) turnDraft(world, tale, false);
  if (random.chance(0.8)) planReview(world, tale, 'approved');
  close(world, tale, opening.isMergeable && random.chance(0.85));
  return { events: tale.events, heads, final: tale.state };
}

function begin(world: World, opening: PullRequestOpening): PullRequestTale {
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
  const tale = { events: [], state, reviewers };
  record(world, tale, 'opened', state.author);
  return tale;
}

function record(
  world: World,
  tale: PullRequestTale,
  action: PullRequestAction,
  sender: Account,
  change?: PullRequestChange,
): void {
  const { state } = tale;
  tale.events.push({
    at: state.updatedAt,
    build: () => ({
      eventType: 'pull_request',
      payload: pullRequestPayload(world.organization, action, state, sender, change),
    }),
  });
}

function addLabels(world: World, tale: PullRequestTale): void {
  const isUpgrade = world.bots.includes(tale.state.author);
  const wanted = names.labels.filter(({ name }) => (name === 'dependencies') === isUpgrade);
  for (const label of world.random.shuffled(wanted).slice(0, world.random.int(1, 2))) {
    const updatedAt = nextChange(world, tale.state, 2, 30);
    tale.state = { ...tale.state, updatedAt, labels: [...tale.state.labels, label] };
    record(world, tale, 'labeled', world.random.pick(tale.reviewers), { label });
  }
}

function rename(world: World, tale: PullRequestTale): void {
  const { title: from, author } = tale.state;
  tale.state = { ...tale.state, updatedAt: nextChange(world, tale.state, 5, 60), title: `${from} (again)` };
  record(world, tale, 'edited', author, { changes: { title: { from } } });
}

function turnDraft(world: World, tale: PullRequestTale, isDraft: boolean): void {
  tale.state = { ...tale.state, updatedAt: nextChange(world, tale.state, 5, 90), isDraft };
  record(world, tale, isDraft ? 'converted_to_draft' : 'ready_for_review', tale.state.author);
}

function push(world: World, tale: PullRequestTale): void {
  const [before, after] = [tale.state.headSha, world.random.hex(40)];
  const { commits, changedLines } = tale.state;
  const updatedAt = nextChange(world, tale.state, 60, 240);
  tale.state = {
    ...tale.state,
    updatedAt,
    headSha: after,
    commits: commits + 1,
    changedLines: changedLines + 7,
  };
  record(world, tale, 'synchronize', tale.state.author, { before, after });
}

function close(world: World, tale: PullRequestTale, isMerged: boolean): void {
  const closedAt = nextChange(world, tale.state, 60, 240);
  const by = world.random.pick(tale.reviewers);
  const merge = isMerged ? { sha: world.random.hex(40), by } : null;
  tale.state = { ...tale.state, updatedAt: closedAt, closedAt, merge };
  record(world, tale, 'closed', by);
}
