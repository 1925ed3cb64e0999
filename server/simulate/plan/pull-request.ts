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
  const { events, current, change, review } = makeChanges({
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
  change('opened', at, {});
  return {
    events,
    get state() {
      return current();
    },
    label: (when) =>
      change('labeled', when, { isLabeled: true }, { label: labelObject(subject.repository) }, reviewer),
    review: (when, verdict, body) => {
      const commitSha = current().headSha;
      lastReview = { id: world.nextId(), reviewer, state: verdict, body, commitSha, submittedAt: when };
      review('submitted', when, lastReview);
    },
    dismissReview: (when) => {
      if (lastReview !== undefined) review('dismissed', when, { ...lastReview, state: 'dismissed' });
    },
    push: (when) => {
      if (current().isDraft) change('ready_for_review', when, { isDraft: false });
      const [before, after] = [current().headSha, world.newHex(40)];
      change('synchronize', when, { headSha: after }, { before, after });
    },
    close: (when, isMerged) => {
      const merge = isMerged ? { sha: world.newHex(40), by: reviewer } : null;
      const closedAt = Math.max(when, current().updatedAt + 1000);
      change('closed', closedAt, { closedAt, merge }, {}, reviewer);
    },
  };
}

/** Changes the pull request, and notes an event for each change. */
function makeChanges(opened: PullRequest) {
  const events: PlannedEvent[] = [];
  let state = opened;
  const add = (
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
    current: () => state,
    change: (
      action: string,
      when: number,
      changes: Partial<PullRequest>,
      extra: Parameters<typeof pullRequestPayload>[3] = {},
      sender: Account = opened.author,
    ): void =>
      add(when, changes, (pull) => ({
        eventType: 'pull_request',
        payload: pullRequestPayload(action, pull, sender, extra),
      })),
    review: (action: string, when: number, given: Review): void =>
      add(when, {}, (pull) => ({
        eventType: 'pull_request_review',
        payload: reviewPayload(action, given, pull),
      })),
  };
}
