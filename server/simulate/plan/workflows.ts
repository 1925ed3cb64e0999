export type WorkflowKey = keyof typeof workflows;

export type Runner = 'hosted' | 'self-hosted';

export interface JobTemplate {
  name: string;
  /** Jobs of one stage run in parallel. A stage needs the previous one. */
  stage: number;
  runner: Runner;
  /** Shortest and longest usual duration. */
  seconds: readonly [number, number];
  /** The job's own steps, between setup and clean-up. */
  steps: readonly string[];
  /** A job with an environment is a deployment. */
  environment?: string;
}

export interface Workflow {
  name: string;
  path: string;
  jobs: readonly JobTemplate[];
}

export const workflows = {
  ci: workflow('CI', 'ci.yml', [
    ...jobs(['build'], 0, [40, 120], ['Build', 'Upload build']),
    ...jobs(
      ['test (ubuntu-24.04, 24)', 'test (ubuntu-24.04, 26)', 'test (windows-2025, 26)'],
      1,
      [45, 240],
      ['Download build', 'Run unit tests', 'Run integration tests'],
    ),
    ...jobs(['coverage'], 2, [10, 30], ['Merge reports', 'Check threshold']),
  ]),
  lint: workflow('Lint', 'lint.yml', [
    ...jobs(['format'], 0, [15, 50], ['Check format', 'Run linter']),
    ...jobs(['types'], 0, [25, 80], ['Check types']),
  ]),
  e2e: workflow('End-to-end', 'e2e.yml', [
    ...jobs(
      ['browser (chromium)', 'browser (firefox)'],
      0,
      [120, 300],
      ['Install browsers', 'Start services', 'Run scenarios'],
    ),
  ]),
  release: workflow('Release', 'release.yml', [
    ...jobs(
      ['package (linux-x64)', 'package (darwin-arm64)'],
      0,
      [60, 200],
      ['Build package', 'Sign package'],
    ),
    ...jobs(['publish'], 1, [20, 60], ['Write notes', 'Publish']),
  ]),
  deploy: workflow('Deploy', 'deploy.yml', [
    ...jobs(['image'], 0, [50, 140], ['Build image', 'Push image']),
    deployment('staging', 1),
    deployment('production', 2),
  ]),
  nightly: workflow('Nightly', 'nightly.yml', [
    ...jobs(
      ['database (postgres-17)', 'database (postgres-18)'],
      0,
      [150, 420],
      ['Restore snapshot', 'Run long tests'],
    ),
    ...jobs(['dependency audit'], 0, [20, 60], ['Audit']),
  ]),
} satisfies Record<string, Workflow>;

function workflow(name: string, file: string, templates: readonly JobTemplate[]): Workflow {
  return { name, path: `.github/workflows/${file}`, jobs: templates };
}

function jobs(
  names: readonly string[],
  stage: number,
  seconds: readonly [number, number],
  steps: readonly string[],
): JobTemplate[] {
  return names.map((name) => ({ name, stage, seconds, steps, runner: 'hosted' }));
}

function deployment(environment: string, stage: number): JobTemplate {
  const steps = ['Plan', 'Apply', 'Check health'];
  return {
    name: `deploy to ${environment}`,
    stage,
    seconds: [25, 90],
    steps,
    runner: 'self-hosted',
    environment,
  };
}
