import { Forge, type Outcome, type Workflow } from './forge.ts';
import type { Dialect } from './facts.ts';
import type { Random } from './random.ts';

const hour = 3_600_000;

const jobLists = [
  ['build'],
  ['build', 'deploy'],
  ['lint', 'test', 'build', 'deploy'],
  // A matrix.
  ['test (20, linux)', 'test (20, windows)', 'test (22, linux)', 'publish'],
  // A reusable workflow with a matrix in it.
  ['ci / check', 'ci / build (a / b)', 'ci / build (c)', 'release'],
] as const;

/** What happens in a world. Each kind makes one part of a forge's life frequent. */
type Story = (forge: Forge, random: Random) => void;

interface Kind {
  dialects: readonly Dialect[];
  story: Story;
  /** When the world begins: hours before the present. */
  hoursAgo?: number;
  skewMs?: number;
}

const everywhere: readonly Outcome[] = [
  'success',
  'success',
  'success',
  'failure',
  'failure',
  'cancelled',
  'skipped',
];
const atGithub: readonly Outcome[] = [...everywhere, 'timed_out', 'startup_failure', 'action_required'];

const anyOutcome = (forge: Forge, random: Random): Outcome =>
  random.pick(forge.dialect === 'github' ? atGithub : everywhere);

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
        const run = forge.run(random.pick(workflows), { outcome: anyOutcome(forge, random) });
        while (random.chance(0.5) && run.attempts < 3)
          forge.rerun(run, random.pick(['all', 'failed']), anyOutcome(forge, random));
        if (random.chance(0.15)) forge.rerun(run, 'all', 'running');
      }
    },
  },
};

/** One or two repositories with one or two workflows each. */
function someWorkflows(forge: Forge, random: Random): Workflow[] {
  const workflows: Workflow[] = [];
  for (const name of random.chance(0.5) ? ['acme/site'] : ['acme/site', 'acme/shop']) {
    const repository = forge.newRepository(name);
    workflows.push(forge.newWorkflow(repository, 'ci.yml', 'CI', random.pick(jobLists)));
    if (random.chance(0.6))
      workflows.push(forge.newWorkflow(repository, 'deploy.yml', 'Deploy', random.pick(jobLists)));
  }
  return workflows;
}

export function tellStory(kind: string, random: Random, now: number): Forge {
  const known = kinds[kind];
  if (known === undefined)
    throw new Error(`There is no kind of world called ${kind}. Known: ${Object.keys(kinds).join(', ')}`);
  const forge = new Forge(
    random.pick(known.dialects),
    random,
    now - (known.hoursAgo ?? 11) * hour,
    known.skewMs,
  );
  known.story(forge, random);
  return forge;
}
