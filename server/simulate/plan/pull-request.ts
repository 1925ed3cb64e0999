import type { PlannedEvent } from '../event.ts';
import type { Account, Repository } from '../payload/objects.ts';
import {
  labelObject,
  pullRequestPayload,
  reviewPayload,
  type PullRequest,
  type Review,
} from '../payload/pull-request.ts';
import type { World } from './world.ts';

interface Subject {
  repository: Repository;
  headRepository: Repository;
  author: Account;
  title: string;
  headBranch: string;
}

/** A pull request while it is planned. Each step happens at the given time, or a second after the one before. */
export interface OpenPullRequest {
  readonly events: PlannedEvent[];
  readonly state: PullRequest;
  label(at: number): void;
  review(at: number, state: Exclude<Review['state'], 'dismissed'>, body: string): void;
  dismissReview(at: number): void;
  /** A draft becomes ready with this push. */
  push(at: number): void;
  close(at: number, isMerged: boolean): void;
}

export function openPullRequest(world: World, subject: Subject, at: number): OpenPullRequest {
  const { random } = world;
  const reviewer = random.pick(world.people.filter((person) => person !== subject.author));
  const plan = makePlan({
    ...subject,
    id: world.nextId(),
    number: world.nextNumber(subject.repository.full.full_name),
    headSha: world.newHex(40),
    baseSha: world.newHex(40),
    isDraft: random.chance(0.3),
    isLabeled: false,
    createdAt: at,
    updatedAt: at - 1000,
    closedAt: null,
    merge: null,
  });
  let lastReview: Review | undefined;
  const review = (action: string, when: number, given: Review): void => {
    lastReview = given;
    plan.review(action, when, given);
  };

  plan.record('opened', at, {});
  return {
    events: plan.events,
    get state() {
      return plan.state();
    },
    label: (when) =>
      plan.record(
        'labeled',
        when,
        { isLabeled: true },
        { sender: reviewer, label: labelObject(subject.repository) },
      ),
    review: (when, verdict, body) =>
      review('submitted', when, {
        id: world.nextId(),
        reviewer,
        state: verdict,
        body,
        commitSha: plan.state().headSha,
        submittedAt: when,
      }),
    dismissReview: (when) => {
      if (lastReview !== undefined) review('dismissed', when, { ...lastReview, state: 'dismissed' });
    },
    push: (when) => {
      if (plan.state().isDraft) plan.record('ready_for_review', when, { isDraft: false });
      const [before, after] = [plan.state().headSha, world.newHex(40)];
      plan.record('synchronize', when, { headSha: after }, { before, after });
    },
    close: (when, isMerged) => {
      const merge = isMerged ? { sha: world.newHex(40), by: reviewer } : null;
      const closedAt = Math.max(when, plan.state().updatedAt + 1000);
      plan.record('closed', closedAt, { closedAt, merge }, { sender: reviewer });
    },
  };
}

/** Keeps the pull request as its events change it. */
function makePlan(opened: PullRequest) {
  const events: PlannedEvent[] = [];
  let state = opened;
  const plan = (
    when: number,
    changes: Partial<PullRequest>,
    contentOf: (pull: PullRequest) => ReturnType<PlannedEvent['build']>,
  ): void => {
    const pull = { ...state, ...changes, updatedAt: Math.max(when, state.updatedAt + 1000) };
    state = pull;
    events.push({ at: pull.updatedAt, build: () => contentOf(pull) });
  };
  return {
    events,
    state: () => state,
    record: (
      action: string,
      when: number,
      changes: Partial<PullRequest>,
      {
        sender = opened.author,
        ...extra
      }: { sender?: Account } & Parameters<typeof pullRequestPayload>[3] = {},
    ): void =>
      plan(when, changes, (pull) => ({
        eventType: 'pull_request',
        payload: pullRequestPayload(action, pull, sender, extra),
      })),
    review: (action: string, when: number, review: Review): void =>
      plan(when, {}, (pull) => ({
        eventType: 'pull_request_review',
        payload: reviewPayload(action, review, pull),
      })),
  };
}
