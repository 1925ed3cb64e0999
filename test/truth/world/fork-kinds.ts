import { anyOutcome, someWorkflows, type Kind } from './some-workflows.ts';

/** Pull requests from forks that have branches with our names, are deleted, or are renamed. */
export const forkKinds: Record<string, Kind> = {
  forks: {
    dialects: ['github'],
    story: (forge, random) => {
      const [workflow] = someWorkflows(forge, random);
      for (let number = 1; number <= 5; number += 1) {
        const fork = random.pick(['eve', 'mallory']);
        // The branch of a fork may be called as ours.
        const branch = random.pick(['main', `patch-${number}`]);
        forge.pull(workflow.repository, { number, branch, fork, author: fork, state: 'open' });
        const outcome = anyOutcome(forge, random);
        forge.run(workflow, { outcome, branch, fork, actor: fork, trigger: 'pull_request' });
        // Not always the newest one, which would hide the others.
        if (random.chance(0.6)) forge.run(workflow, { outcome: random.pick(['success', 'failure']) });
      }
    },
  },
  'deleted forks': {
    dialects: ['github'],
    isNotInSuite: true,
    story: (forge, random) => {
      const [workflow] = someWorkflows(forge, random);
      const { repository } = workflow;
      for (let number = 1; number <= 4; number += 1) {
        const fork = `eve-${number}`;
        const branch = random.pick(['main', `patch-${number}`]);
        const pull = { number, branch, fork, author: fork, sha: forge.newCommit() };
        forge.pull(repository, { ...pull, state: 'open' });
        const outcome = random.pick(['success', 'failure'] as const);
        // When its runs are told, nobody can know any more whose branch it is.
        if (random.chance(0.3)) forge.deleteFork(repository, fork);
        const run = forge.run(workflow, { outcome, ...pull, actor: fork, trigger: 'pull_request' });
        // Before its run has ended, or after.
        if (random.chance(0.5)) forge.rest();
        forge.deleteFork(repository, fork);
        if (random.chance(0.5)) forge.rerun(run, 'all', random.pick(['success', 'failure']));
        if (random.chance(0.5)) forge.pull(repository, { ...pull, state: 'closed' });
        if (random.chance(0.5)) forge.run(workflow, { outcome: random.pick(['success', 'failure']) });
      }
    },
  },
  'renamed forks': {
    dialects: ['github'],
    story: (forge, random) => {
      const [workflow] = someWorkflows(forge, random);
      const { repository } = workflow;
      for (let number = 1; number <= 4; number += 1) {
        let fork = `eve-${number}`;
        const branch = random.pick(['main', `patch-${number}`]);
        const told = () => ({ number, branch, fork, author: fork, actor: fork, trigger: 'pull_request' });
        // An event of the pull request comes first, later or never.
        if (random.chance(0.5)) forge.pull(repository, { ...told(), state: 'open' });
        const first = forge.run(workflow, {
          outcome: random.pick(['success', 'failure', 'failure']),
          ...told(),
        });
        for (const owner of ['mallory', random.pick(['bob', 'zoe'])]) {
          // Before its run has ended, or after.
          if (random.chance(0.5)) forge.rest();
          const to = `${owner}-${number}`;
          forge.renameFork(repository, fork, to);
          fork = to;
          if (random.chance(0.4)) forge.pull(repository, { ...told(), state: 'open' });
          if (random.chance(0.6))
            forge.run(workflow, { outcome: random.pick(['success', 'failure']), ...told() });
          if (random.chance(0.3)) forge.rerun(first, 'all', random.pick(['success', 'failure']));
        }
        // Another person takes a name that is free.
        if (random.chance(0.4))
          forge.run(workflow, { outcome: 'failure', ...told(), branch, fork: `mallory-${number}` });
        if (random.chance(0.5)) forge.pull(repository, { ...told(), state: 'closed' });
      }
    },
  },
};
