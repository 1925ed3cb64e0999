import { dayMs } from '#platform/runtime/time-units.ts';
import type { PlannedEvent } from '../event.ts';
import type { sampleRepositoryNames } from '#server/sample-data/sample-repositories.ts';
import * as names from './names.ts';
import { repository as repositoryOf, type Account, type Repository } from '../payload/objects.ts';
import { pullRequestReference } from '../payload/pull-request.ts';
import type { Conclusion, Trigger } from '../payload/run.ts';
import { openPullRequest, type OpenPullRequest } from './pull-request.ts';
import { planRun } from './run.ts';
import type { World } from './world.ts';
import { workflows, type WorkflowKey } from './workflows.ts';

/** Plans what happens from `at` on. The events are not sorted. */
type Story = (world: World, at: number) => PlannedEvent[];

export type StoryName = keyof typeof stories;

/** What happens in the organization, each with its share in endless traffic. */
export const stories = {
  push: { weight: 50, plan: everydayPush },
  brokenBranch: { weight: 3, plan: brokenBranch },
  recovery: { weight: 3, plan: recovery },
  flakyJob: { weight: 4, plan: flakyJob },
  pullRequest: { weight: 20, plan: pullRequest },
  forkPullRequest: { weight: 4, plan: forkPullRequest },
  deployment: { weight: 8, plan: single('deploy', 'workflow_dispatch', 'Deploy') },
  deployedChanges: { weight: 2, plan: deployedChanges },
  nightly: { weight: 4, plan: single('nightly', 'schedule', 'Nightly') },
  earlierDays: { weight: 0, plan: earlierDays },
  release: { weight: 4, plan: single('release', 'release', 'Release v4.2.0', 'v4.2.0') },
} satisfies Record<string, { weight: number; plan: Story }>;

const everyday: readonly (readonly Conclusion[])[] = [
  ...Array.from({ length: 16 }, () => ['success'] as const),
  ['failure', 'success'],
  ['failure'],
  ['cancelled'],
  ['timed_out', 'success'],
  ['skipped'],
];

function everydayPush(world: World, at: number): PlannedEvent[] {
  const { random } = world;
  const change = random.pick(names.changes);
  const isMain = random.chance(0.6);
  const actor = random.pick(random.chance(0.12) ? world.bots : world.people);
  const headBranch = isMain ? 'main' : `feature/${change.branch}`;
  const cause = push(world, random.pick(world.repositories), change.title, { actor, headBranch });
  const keys: WorkflowKey[] = random.chance(0.4) ? ['ci', 'lint'] : ['ci'];
  return keys.flatMap((key) => run(world, cause, key, at, random.pick(everyday)).events);
}

const production = 'deploy to production';
const failingTest = 'test (ubuntu-24.04, 26)';

/** Two pushes fail in the same job, and the default branch stays red. */
function brokenBranch(world: World, at: number): PlannedEvent[] {
  const repository = named(world, 'billing-api');
  const first = push(world, repository, 'Round amounts once, at the end');
  const second = push(world, repository, 'Cache the price list for five minutes');
  const failed = run(world, first, 'ci', at, ['failure'], failingTest);
  const again = run(world, second, 'ci', failed.endsAt + world.elapse(60, 180), ['failure'], failingTest);
  return [...failed.events, ...again.events];
}

/** A push fails twice, and the next one repairs the branch. */
function recovery(world: World, at: number): PlannedEvent[] {
  const repository = named(world, 'search');
  const breaking = push(world, repository, 'Speed up the nightly import with batches');
  const fix = push(world, repository, 'Fix the import of empty batches', { actor: breaking.actor });
  const failed = run(world, breaking, 'ci', at, ['failure', 'failure'], failingTest);
  return [
    ...failed.events,
    ...run(world, fix, 'ci', failed.endsAt + world.elapse(120, 300), ['success']).events,
  ];
}

/** The same job fails and succeeds on the same commit, again and again. */
function flakyJob(world: World, at: number): PlannedEvent[] {
  const repository = named(world, 'web-console');
  return [0, 1, 2].flatMap((nth) => {
    const cause = push(world, repository, world.random.pick(names.changes).title);
    const start = at + nth * world.elapse(240, 300);
    return run(world, cause, 'e2e', start, ['failure', 'success'], 'browser (firefox)').events;
  });
}

/** The first check fails, a review asks for changes, the second push is green and approved, and the merge starts a run. */
function pullRequest(world: World, at: number): PlannedEvent[] {
  const { random } = world;
  const repository = random.pick(world.repositories);
  const change = random.pick(names.changes);
  const author = random.pick(random.chance(0.2) ? world.bots : world.people);
  const subject = { repository, headRepository: repository, author, title: change.title };
  const pull = openPullRequest(world, { ...subject, headBranch: `feature/${change.branch}` }, at);
  pull.label(at + world.elapse(5, 20));
  const failed = run(world, head(pull), 'ci', at + 1000, ['failure']);
  pull.review(
    failed.endsAt + world.elapse(20, 60),
    'changes_requested',
    'The error path is not covered yet.',
  );
  const pushedAt = pull.state.updatedAt + world.elapse(60, 180);
  pull.push(pushedAt);
  pull.dismissReview(pushedAt + world.elapse(5, 30));
  const checks = (['ci', 'lint'] as const).map((key) =>
    run(world, head(pull), key, pushedAt + 2000, ['success']),
  );
  const greenAt = Math.max(...checks.map(({ endsAt }) => endsAt));
  pull.review(greenAt + world.elapse(20, 60), 'approved', 'Nice, much easier to follow now.');
  pull.close(pull.state.updatedAt + world.elapse(10, 60), true);
  const title = `${change.title} (#${pull.state.number})`;
  const merged = push(world, repository, title, { headSha: pull.state.merge?.sha ?? '' });
  const afterMerge = run(world, merged, 'ci', pull.state.updatedAt + 1000, ['success']);
  return [pull, failed, ...checks, afterMerge].flatMap(({ events }) => events);
}

/** Two changes are merged and deployed, a third deployment fails, and then the first change is deployed again in place of the second. */
function deployedChanges(world: World, at: number): PlannedEvent[] {
  const repository = named(world, 'web-console');
  const events: PlannedEvent[] = [];
  let now = at;
  const deploy = (cause: Cause, end: Conclusion): void => {
    const deployed = run(world, { ...cause, event: 'workflow_dispatch' }, 'deploy', now, [end], production);
    events.push(...deployed.events);
    now = deployed.endsAt + world.elapse(60, 180);
  };
  const merged = names.changes.slice(0, 2).map(({ title, branch }) => {
    const author = world.random.pick(world.people);
    const subject = {
      repository,
      headRepository: repository,
      author,
      title,
      headBranch: `feature/${branch}`,
    };
    const pull = openPullRequest(world, subject, now);
    pull.review(now + world.elapse(60, 120), 'approved', 'Fine.');
    pull.close(pull.state.updatedAt + world.elapse(10, 60), true);
    events.push(...pull.events);
    now = pull.state.updatedAt + world.elapse(30, 90);
    const cause = push(world, repository, `${title} (#${pull.state.number})`, {
      headSha: pull.state.merge?.sha ?? '',
    });
    deploy(cause, 'success');
    return cause;
  });
  deploy(push(world, repository, 'Move the settings of production'), 'failure');
  deploy({ ...merged[0]!, title: 'Deploy the version before again' }, 'success');
  return events;
}

/** A stranger's run waits for an approval that does not come. */
function forkPullRequest(world: World, at: number): PlannedEvent[] {
  const { random } = world;
  const repository = random.pick(world.repositories);
  const author = random.pick(world.outsiders);
  const headRepository = repositoryOf(repository.full.name, author);
  const { title } = random.pick(names.changes);
  const pull = openPullRequest(
    world,
    { repository, headRepository, author, title, headBranch: 'patch-1' },
    at,
  );
  const waiting = run(world, head(pull), 'ci', at + 1000, ['action_required']);
  pull.review(at + world.elapse(60, 180), 'commented', 'One question inline.');
  pull.close(pull.state.updatedAt + world.elapse(120, 400), false);
  return [...pull.events, ...waiting.events];
}

/** How the end-to-end tests ended each night of three weeks. Only ends are reported. */
function earlierDays(world: World, at: number): PlannedEvent[] {
  const repository = named(world, 'web-console');
  return Array.from({ length: 22 }, (_, n) => {
    const cause = push(world, repository, 'Nightly scenarios', { event: 'schedule' });
    return run(world, cause, 'e2e', at - (22 - n) * dayMs, ['success']).events;
  })
    .flat()
    .filter(({ build }) => build().payload.action === 'completed');
}

function single(key: WorkflowKey, event: Trigger['event'], title: string, headBranch = 'main'): Story {
  return (world, at) => {
    const cause = push(world, world.random.pick(world.repositories), title, { event, headBranch });
    return run(world, cause, key, at, world.random.pick(everyday)).events;
  };
}

type Cause = Omit<Trigger, 'workflow'>;

function run(
  world: World,
  cause: Cause,
  key: WorkflowKey,
  at: number,
  ends: readonly Conclusion[],
  job?: string,
) {
  return planRun(world, { ...cause, workflow: workflows[key] }, at, ends, job);
}

function push(world: World, repository: Repository, title: string, other: Partial<Cause> = {}): Cause {
  return {
    repository,
    headRepository: repository,
    event: 'push',
    headBranch: 'main',
    headSha: world.newHex(40),
    title,
    actor: world.random.pick<Account>(world.people),
    pullRequests: [],
    ...other,
  };
}

/** The current head of a pull request. Runs of forks do not refer to their pull request. */
function head({ state }: OpenPullRequest): Cause {
  const { repository, headRepository, headBranch, headSha, title, author: actor } = state;
  const pullRequests = headRepository === repository ? [pullRequestReference(state)] : [];
  return {
    repository,
    headRepository,
    event: 'pull_request',
    headBranch,
    headSha,
    title,
    actor,
    pullRequests,
  };
}

function named({ repositories }: World, name: (typeof sampleRepositoryNames)[number]): Repository {
  const found = repositories.find(({ full }) => full.name === name);
  if (found === undefined) throw new Error(`no repository ${name}`);
  return found;
}
