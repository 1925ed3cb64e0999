import { forkKinds } from './fork-kinds.ts';
import { Forge, type Outcome, type Run, type Workflow } from './forge.ts';
import type { Random } from './random.ts';
import { anyOutcome, jobLists, nestedJobs, someWorkflows, type Kind } from './some-workflows.ts';

const hour = 3_600_000;

export const kinds: Record<string, Kind> = {
  pushes: {
    dialects: ['github', 'gitea', 'old gitea'],
    story: (forge, random) => {
      const workflows = someWorkflows(forge, random);
      for (let turn = 0; turn < 14; turn += 1)
        forge.run(random.pick(workflows), {
          outcome: anyOutcome(forge, random),
          branch: random.pick(['main', 'main', 'topic']),
          actor: random.pick(['ann', 'ben']),
        });
      for (const outcome of ['running', 'waiting'] as const)
        if (random.chance(0.7)) forge.run(random.pick(workflows), { outcome });
    },
  },
  reruns: {
    dialects: ['github', 'gitea'],
    story: (forge, random) => {
      const workflows = someWorkflows(forge, random);
      for (let turn = 0; turn < 8; turn += 1) {
        const outcome = random.chance(0.6) ? 'failure' : anyOutcome(forge, random);
        const run = forge.run(random.pick(workflows), { outcome });
        while (random.chance(0.5) && run.attempts < 3)
          forge.rerun(run, random.pick(['all', 'failed']), anyOutcome(forge, random));
        if (random.chance(0.15)) forge.rerun(run, 'all', 'running');
      }
    },
  },
  'reusable workflows': {
    dialects: ['github', 'gitea'],
    story: (forge, random) => {
      const workflows = someWorkflows(forge, random, nestedJobs);
      for (let turn = 0; turn < 7; turn += 1) {
        const run = forge.run(random.pick(workflows), { outcome: anyOutcome(forge, random) });
        if (random.chance(0.5)) forge.rerun(run, random.pick(['all', 'failed']), anyOutcome(forge, random));
      }
    },
  },
  're-runs of older runs': {
    dialects: ['github', 'gitea'],
    isNotInSuite: true,
    story: (forge, random) => {
      const workflows = someWorkflows(forge, random);
      const runs: Run[] = [];
      for (let turn = 0; turn < 8; turn += 1) {
        runs.push(
          forge.run(random.pick(workflows), { outcome: random.pick(['success', 'failure', 'failure']) }),
        );
        if (random.chance(0.6))
          forge.rerun(random.pick(runs), random.pick(['all', 'failed']), random.pick(['success', 'failure']));
      }
    },
  },
  'runs after their jobs': {
    dialects: ['github', 'gitea'],
    isNotInSuite: true,
    areRunsLate: true,
    story: (forge, random) => {
      // Before its run, a job of Gitea does not tell when its second attempt was created.
      const others =
        forge.dialect === 'github' ? (['pushes', 'reruns', 'forks'] as const) : (['pushes'] as const);
      kinds[random.pick(others)]!.story(forge, random);
    },
  },
  'cancelled by newer pushes': {
    dialects: ['github', 'gitea'],
    story: (forge, random) => {
      const [workflow] = someWorkflows(forge, random);
      for (let turn = 0; turn < 6; turn += 1) {
        const branch = random.pick(['main', 'topic']);
        const pushes = random.between(1, 3);
        let before: Run | undefined;
        for (let push = 0; push <= pushes; push += 1) {
          const isLast = push === pushes;
          const outcome = isLast ? random.pick(['success', 'failure'] as const) : 'running';
          const run = forge.run(workflow, { outcome, branch });
          // Steps that always run may end after the newer run.
          if (before !== undefined)
            forge.supersede(before, random.pick(['cancelled', 'failure']), {
              endsInMs: random.pick([0, 2 * hour]),
              hasGate: random.chance(0.4),
            });
          before = run;
        }
      }
    },
  },
  'merge queue': {
    dialects: ['github'],
    story: (forge, random) => {
      const [workflow] = someWorkflows(forge, random);
      for (let number = 1; number <= 4; number += 1) {
        const branch = `topic-${number}`;
        forge.pull(workflow.repository, { number, branch, state: 'open' });
        forge.run(workflow, { outcome: anyOutcome(forge, random), branch, trigger: 'pull_request' });
        let base = 'main';
        for (const chance of [1, 0.7, 0.5]) {
          const next = random.pick(['main', 'main', 'release/1']);
          if (next !== base) forge.pull(workflow.repository, { number, branch, state: 'open', base: next });
          base = next;
          if (random.chance(chance))
            forge.run(workflow, {
              outcome: random.pick(['success', 'failure']),
              ...groupOf(forge, number, base),
            });
          // A test may go on after the base was changed.
          if (random.chance(0.7)) forge.rest();
        }
        if (random.chance(0.5)) forge.pull(workflow.repository, { number, branch, state: 'closed', base });
        forge.run(workflow, { outcome: random.pick(['success', 'failure']) });
      }
    },
  },
  'broken batches': {
    dialects: ['github'],
    story: (forge, random) => {
      const [workflow] = someWorkflows(forge, random);
      for (let batch = 0; batch < 3; batch += 1) {
        const numbers = [1, 2, 3].map((each) => batch * 3 + each);
        for (const number of numbers)
          forge.pull(workflow.repository, { number, branch: `topic-${number}`, state: 'open' });
        // Each group contains the pull requests before it. One fails, and those after it are tested again without it.
        const broken = random.pick(numbers);
        const behind = numbers.flatMap((number) => {
          if (number <= broken) {
            const outcome = number < broken ? 'success' : 'failure';
            forge.run(workflow, { outcome, ...groupOf(forge, number) });
            return [];
          }
          return [{ number, run: forge.run(workflow, { outcome: 'running', ...groupOf(forge, number) }) }];
        });
        for (const { number, run } of behind) {
          forge.run(workflow, { outcome: random.pick(['success', 'failure']), ...groupOf(forge, number) });
          forge.supersede(run, random.pick(['cancelled', 'failure']));
        }
        forge.rest();
        for (const number of numbers.filter((each) => each !== broken && random.chance(0.6)))
          forge.pull(workflow.repository, { number, branch: `topic-${number}`, state: 'closed' });
        forge.run(workflow, { outcome: random.pick(['success', 'failure']) });
      }
    },
  },
  ...forkKinds,
  deletions: {
    dialects: ['github', 'gitea', 'old gitea'],
    hoursAgo: 36 * 24,
    story: (forge, random) => {
      // An older Gitea says no time about what has not ended: it would be of the present.
      const isTold = forge.dialect !== 'old gitea';
      const push = (workflows: readonly Workflow[], last: Outcome): void => {
        for (let turn = 0; turn < 4; turn += 1)
          forge.run(random.pick(workflows), { outcome: random.pick(['success', 'failure', 'failure']) });
        forge.run(random.pick(workflows), { outcome: last });
        if (!isTold) forge.rest();
      };
      const inNewRepository = (name: string, file = 'ci.yml'): Workflow =>
        forge.newWorkflow(forge.newRepository(name), file, 'CI', random.pick(jobLists));
      // Its state is stale, and what was in progress is over.
      const old = inNewRepository('acme/old');
      push([old], isTold ? 'running' : 'failure');
      forge.delete(old.repository);
      forge.pass(random.pick([33, 35]) * 24 * hour);
      const site = inNewRepository('acme/site');
      const shop = inNewRepository('acme/shop', 'build.yml');
      const pages = forge.newWorkflow(shop.repository, 'pages.yml', 'Pages', ['build', 'deploy']);
      push([site, shop, pages], isTold ? random.pick(['running', 'waiting']) : 'failure');
      forge.delete(site.repository);
      // Another repository takes the name, and another file that of a workflow whose file is deleted.
      const again = inNewRepository('acme/site');
      const renamed = forge.newWorkflow(shop.repository, 'ci.yml', 'CI', shop.jobs);
      push([again, renamed, pages], random.pick(['success', 'failure']));
      if (random.chance(0.7)) forge.hidden.add(random.pick([site, shop]));
    },
  },
  'new names': {
    dialects: ['github', 'gitea', 'old gitea'],
    story: (forge, random) => {
      const repository = forge.newRepository('acme/site');
      const other = forge.newRepository('acme/shop');
      const workflows = [
        forge.newWorkflow(repository, 'ci.yml', 'CI', random.pick(jobLists)),
        // Two files of one name.
        forge.newWorkflow(repository, 'frontend.yml', 'CI', random.pick(jobLists)),
        forge.newWorkflow(other, 'ci.yml', 'CI', random.pick(jobLists)),
      ];
      const push = (): void => {
        for (let turn = 0; turn < 5; turn += 1)
          forge.run(random.pick(workflows), { outcome: random.pick(['success', 'failure']) });
        forge.rest();
      };
      push();
      for (const change of [
        () => (repository.fullName = 'acme/website'),
        () => (workflows[0]!.name = 'Build'),
        // A transfer, and another repository takes the name.
        () => {
          repository.fullName = 'globex/website';
          other.fullName = 'acme/website';
        },
      ]) {
        change();
        push();
      }
    },
  },
  'names that come back': {
    dialects: ['github', 'gitea'],
    story: (forge, random) => {
      const [one, two] = [forge.newRepository('acme/one'), forge.newRepository('acme/two')];
      const workflows = [
        forge.newWorkflow(one, 'ci.yml', 'CI', random.pick(jobLists)),
        forge.newWorkflow(one, 'build.yml', 'Build', random.pick(jobLists)),
        forge.newWorkflow(two, 'ci.yml', 'CI', random.pick(jobLists)),
      ];
      const [ci, build] = workflows;
      const push = (): void => {
        for (let turn = 0; turn < 4; turn += 1)
          forge.run(random.pick(workflows), { outcome: random.pick(['success', 'failure']) });
        forge.rest();
      };
      const swapWorkflows = (): void => void ([ci!.name, build!.name] = [build!.name, ci!.name]);
      const swapRepositories = (): void => void ([one.fullName, two.fullName] = [two.fullName, one.fullName]);
      const chain = random.pick([
        [() => (ci!.name = 'Check'), () => (ci!.name = 'CI')],
        [() => (one.fullName = 'acme/other'), () => (one.fullName = 'acme/one')],
        [swapWorkflows, swapWorkflows],
        [swapRepositories, swapRepositories],
      ]);
      push();
      for (const change of chain) {
        change();
        push();
      }
    },
  },
  'no rules': {
    dialects: ['github', 'gitea'],
    isWithoutRule: true,
    story: (forge, random) =>
      kinds[random.pick(['pushes', 'reruns', 'another default branch'] as const)]!.story(forge, random),
  },
  'another default branch': {
    dialects: ['github', 'gitea', 'old gitea'],
    story: (forge, random) => {
      const workflows = someWorkflows(forge, random);
      const push = (): void => {
        for (let turn = 0; turn < 6; turn += 1)
          forge.run(random.pick(workflows), { outcome: random.pick(['success', 'failure']) });
        forge.rest();
      };
      push();
      for (const { repository } of workflows) repository.defaultBranch = 'trunk';
      push();
    },
  },
  schedules: {
    dialects: ['github', 'gitea', 'old gitea'],
    story: (forge, random) => {
      const workflows = someWorkflows(forge, random);
      let sha = forge.newCommit();
      for (let turn = 0; turn < 10; turn += 1) {
        if (random.chance(0.3)) sha = forge.newCommit();
        const trigger = random.pick(['schedule', 'schedule', 'push']);
        forge.run(random.pick(workflows), { outcome: random.pick(['success', 'failure']), trigger, sha });
      }
    },
  },
  'a clock ahead': {
    dialects: ['github', 'gitea'],
    hoursAgo: 3,
    skewMs: 2 * hour,
    story: (forge, random) => kinds['pushes']!.story(forge, random),
  },
  'a clock behind': {
    dialects: ['github', 'gitea'],
    isNotInSuite: true,
    skewMs: -2 * hour,
    story: (forge, random) => kinds['pushes']!.story(forge, random),
  },
  'a clock five minutes ahead': {
    dialects: ['github', 'gitea'],
    isNotInSuite: true,
    skewMs: hour / 12,
    story: (forge, random) => kinds[random.pick(['reruns', 'pushes'] as const)]!.story(forge, random),
  },
  'a clock five minutes behind': {
    dialects: ['github', 'gitea'],
    isNotInSuite: true,
    skewMs: -hour / 12,
    story: (forge, random) => kinds[random.pick(['reruns', 'pushes'] as const)]!.story(forge, random),
  },
  history: {
    dialects: ['github'],
    hoursAgo: 75 * 24,
    story: (forge, random) => {
      const [workflow, another = workflow] = someWorkflows(forge, random);
      const day = 24 * hour;
      const red = (): void => {
        for (const each of [workflow, another]) forge.run(each, { outcome: 'failure' });
        forge.rest();
      };
      // Beyond retention, stale, old, and news.
      red();
      forge.pass(33 * day);
      red();
      forge.pass(38 * day);
      forge.run(workflow, { outcome: 'success' });
      forge.run(workflow, { outcome: 'failure' });
      forge.pass(3 * day + random.between(0, 20) * hour);
      forge.run(workflow, { outcome: random.pick(['success', 'failure']) });
    },
  },
};

/** A run of the merge queue. */
const groupOf = (forge: Forge, number: number, base = 'main') => ({
  branch: `gh-readonly-queue/${base}/pr-${number}-${forge.newCommit()}`,
  trigger: 'merge_group',
});

/** The seeds take the forges of a kind in turn, and the kinds of one seed different ones. */
export function tellStory(kind: string, seed: number, random: Random, now: number): Forge {
  const known = kinds[kind];
  if (known === undefined)
    throw new Error(`There is no kind of world called ${kind}. Known: ${Object.keys(kinds).join(', ')}`);
  const turn = seed + Object.keys(kinds).indexOf(kind);
  const forge = new Forge(
    known.dialects[turn % known.dialects.length]!,
    random,
    now - (known.hoursAgo ?? 11) * hour,
    known.skewMs,
  );
  known.story(forge, random);
  return forge;
}
