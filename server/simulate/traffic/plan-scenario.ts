import type { PlannedEvent } from '#server/simulate/event.ts';
import type { Account } from '#server/simulate/payload/account.ts';
import type { Scenario } from './mix.ts';
import * as names from './names.ts';
import { planPullRequest } from './plan-pull-request.ts';
import { planRun, type RunSource } from './plan-run.ts';
import { pullRequestReference, type PullRequestState } from '#server/simulate/payload/pull-request.ts';
import { repository as makeRepository, type Repository } from '#server/simulate/payload/repository.ts';
import { runEvents } from './run-events.ts';
import type { WorkflowKey } from './workflows.ts';
import type { World } from './world.ts';

/** Plans all events of one scenario from `startedAt` on. The events are not sorted. */
export function planScenario(world: World, scenario: Scenario, startedAt: number): PlannedEvent[] {
  const repository = world.random.pick(world.repositories);
  switch (scenario) {
    case 'push':
      return planPush(world, repository, startedAt);
    case 'schedule':
      return planSingle(world, repository, startedAt, 'nightly', { event: 'schedule', title: 'Nightly' });
    case 'dispatch':
      return planSingle(world, repository, startedAt, 'deploy', {
        event: 'workflow_dispatch',
        title: 'Deploy',
      });
    case 'release':
      return planSingle(world, repository, startedAt, 'release', releaseTag(world));
    case 'pullRequest':
      return planOwnPullRequest(world, repository, startedAt);
    case 'forkPullRequest':
    case 'unapprovedFork':
      return planForkPullRequest(world, repository, startedAt, scenario === 'unapprovedFork');
  }
}

type Trigger = Pick<RunSource, 'event' | 'title'> & { headBranch?: string };

function releaseTag({ random }: World): Trigger {
  const version = `v4.${random.int(0, 9)}.${random.int(0, 30)}`;
  return { event: 'release', title: `Release ${version}`, headBranch: version };
}

function planSingle(
  world: World,
  repository: Repository,
  at: number,
  key: WorkflowKey,
  trigger: Trigger,
): PlannedEvent[] {
  return planRuns(world, [key], at, {
    ...commit(world, trigger.title),
    repository,
    headRepository: repository,
    event: trigger.event,
    headBranch: trigger.headBranch ?? 'main',
    actor: world.random.pick(world.people),
    pullRequests: [],
  });
}

function planPush(world: World, repository: Repository, at: number): PlannedEvent[] {
  const { random } = world;
  const change = random.pick(names.changes);
  const where = random.next();
  const headBranch =
    where < 0.55 ? 'main' : where < 0.7 ? random.pick(names.releaseBranches) : `feature/${change.branch}`;
  return planRuns(world, workflowsOfPush(world, headBranch), at, {
    ...commit(world, change.title),
    repository,
    headRepository: repository,
    event: 'push',
    headBranch,
    actor: random.chance(world.mix.bots) ? random.pick(world.bots) : random.pick(world.people),
    pullRequests: [],
  });
}

function workflowsOfPush({ random }: World, branch: string): WorkflowKey[] {
  if (branch !== 'main') return random.chance(0.4) ? ['ci', 'lint'] : ['ci'];
  const others = (['lint', 'e2e', 'deploy'] as const).filter(() => random.chance(0.35));
  return ['ci', ...others];
}

type Cause = Omit<RunSource, 'workflow'>;

/** One push or pull request triggers several workflows within a second or two. */
function planRuns(
  world: World,
  keys: readonly WorkflowKey[],
  at: number,
  cause: Cause,
  isApproved = true,
): PlannedEvent[] {
  return keys.flatMap((key, index) => {
    const source = { ...cause, workflow: world.workflow(cause.repository, key) };
    const outcome = isApproved ? world.drawOutcome() : 'action_required';
    return runEvents(world, planRun(world, source, at + index * world.elapse(0.1, 1), outcome));
  });
}

function commit({ random }: World, title: string) {
  return {
    title,
    message: `${title}\n\nReviewed together.`,
    headSha: random.hex(40),
    treeSha: random.hex(40),
  };
}

function planOwnPullRequest(world: World, repository: Repository, startedAt: number): PlannedEvent[] {
  const { random } = world;
  const isBot = random.chance(Math.min(1, world.mix.bots * 2));
  const upgrade = random.pick(names.upgrades);
  const change = isBot
    ? {
        title: `Bump ${upgrade.name} from ${upgrade.from} to ${upgrade.to}`,
        branch: `${upgrade.name}-${upgrade.to}`,
      }
    : random.pick(names.changes);
  const author = random.pick(isBot ? world.bots : world.people);
  const plan = planPullRequest(world, {
    subject: {
      repository,
      headRepository: repository,
      author,
      title: change.title,
      headBranch: isBot ? `upgrades/npm/${change.branch}` : `feature/${change.branch}`,
      baseBranch: 'main',
    },
    startedAt,
    isMergeable: true,
  });
  const afterMerge = random.chance(0.3) ? planMergeRuns(world, plan.final) : [];
  return [...plan.events, ...plan.heads.flatMap((head) => planHeadRuns(world, head, true)), ...afterMerge];
}

function planForkPullRequest(
  world: World,
  repository: Repository,
  startedAt: number,
  isUnapproved: boolean,
): PlannedEvent[] {
  const author = world.random.pick(world.outsiders);
  const change = world.random.pick(names.changes);
  const plan = planPullRequest(world, {
    subject: {
      repository,
      headRepository: forkOf(world, repository, author),
      author,
      title: change.title,
      headBranch: `patch-${world.random.int(1, 9)}`,
      baseBranch: 'main',
    },
    startedAt,
    isMergeable: !isUnapproved,
  });
  return [...plan.events, ...plan.heads.flatMap((head) => planHeadRuns(world, head, !isUnapproved))];
}

function forkOf({ urls }: World, { full }: Repository, owner: Account): Repository {
  return makeRepository(urls, owner, full.name, true);
}

function planHeadRuns(world: World, head: PullRequestState, isApproved: boolean): PlannedEvent[] {
  const isFork = head.headRepository !== head.repository;
  const keys: WorkflowKey[] = world.random.chance(0.4) ? ['ci', 'lint'] : ['ci'];
  return planRuns(
    world,
    keys,
    head.updatedAt + world.elapse(0.5, 2),
    {
      ...commit(world, head.title),
      headSha: head.headSha,
      repository: head.repository,
      headRepository: head.headRepository,
      event: 'pull_request',
      headBranch: head.headBranch,
      actor: head.author,
      pullRequests: isFork ? [] : [pullRequestReference(head)],
    },
    isApproved,
  );
}

function planMergeRuns(world: World, final: PullRequestState): PlannedEvent[] {
  if (final.merge === null || final.closedAt === null) return [];
  return planRuns(world, ['ci'], final.closedAt + world.elapse(0.5, 2), {
    ...commit(world, `${final.title} (#${final.number})`),
    headSha: final.merge.sha,
    repository: final.repository,
    headRepository: final.repository,
    event: 'push',
    headBranch: final.baseBranch,
    actor: final.merge.by,
    pullRequests: [],
  });
}
