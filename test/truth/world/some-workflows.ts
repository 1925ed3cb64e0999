import type { Forge, Outcome, Workflow } from './forge.ts';
import type { Dialect } from './facts.ts';
import type { Random } from './random.ts';

export const jobLists = [
  ['build'],
  ['build', 'deploy'],
  ['lint', 'test', 'build', 'deploy'],
  // A matrix.
  ['test (20, linux)', 'test (20, windows)', 'test (22, linux)', 'publish'],
  // A reusable workflow with a matrix in it.
  ['ci / check', 'ci / build (a / b)', 'ci / build (c)', 'release'],
] as const;

/** Reusable workflows, nested three deep, with one name for several jobs and with ` / ` in the values of a matrix. */
export const nestedJobs = [
  ['ci / build / compile', 'ci / build / test', 'ci / build / test', 'release'],
  ['ci (a / b) / build (c / d) / test (e / f)', 'ci (a / b) / build (c / d) / test (g / h)', 'notify'],
  [`ci / build / test (${'x'.repeat(79)}...`, `ci / build / test (${'x'.repeat(79)}...`, 'ci / done'],
] as const;

/** What happens in a world. Each kind makes one part of a forge's life frequent. */
type Story = (forge: Forge, random: Random) => void;

export interface Kind {
  dialects: readonly Dialect[];
  story: Story;
  /** When the world begins: hours before the present. */
  hoursAgo?: number;
  skewMs?: number;
  /** Runs arrive after many of their jobs. */
  areRunsLate?: boolean;
  /** Nobody has made a notification rule. */
  isWithoutRule?: boolean;
  /** `npm run truth` alone makes worlds of this kind. */
  isNotInSuite?: boolean;
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

export const anyOutcome = (forge: Forge, random: Random): Outcome =>
  random.pick(forge.dialect === 'github' ? atGithub : everywhere);

/** One or two repositories with one or two workflows each. */
export function someWorkflows(
  forge: Forge,
  random: Random,
  lists: readonly (readonly string[])[] = jobLists,
): [Workflow, ...Workflow[]] {
  const workflows: Workflow[] = [];
  for (const name of random.chance(0.5) ? ['acme/site'] : ['acme/site', 'acme/shop']) {
    const repository = forge.newRepository(name);
    workflows.push(forge.newWorkflow(repository, 'ci.yml', 'CI', random.pick(lists)));
    if (random.chance(0.6))
      workflows.push(forge.newWorkflow(repository, 'deploy.yml', 'Deploy', random.pick(lists)));
  }
  const [first, ...others] = workflows;
  return [first!, ...others];
}
