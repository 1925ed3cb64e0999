import { nodeId, stableId, type ForgeUrls } from '../payload/account.ts';
import type { Repository } from '../payload/repository.ts';

export type WorkflowKey = 'ci' | 'lint' | 'e2e' | 'release' | 'deploy' | 'nightly';

export type RunnerKind = 'hosted' | 'large' | 'self-hosted';

/** A job of a workflow file. */
export interface JobTemplate {
  name: string;
  /** Jobs of one stage run in parallel. A stage needs the previous one. */
  stage: number;
  runner: RunnerKind;
  /** Shortest and longest usual duration. */
  seconds: readonly [number, number];
  /** The job's own steps, between setup and clean-up. */
  steps: readonly string[];
  /** Jobs of one matrix are cancelled when one of them fails. */
  matrix?: string;
  environment?: string;
}

interface WorkflowTemplate {
  name: string;
  file: string;
  jobs: readonly JobTemplate[];
}

const hosted = { runner: 'hosted' } as const;

function matrix(
  prefix: string,
  values: readonly string[],
  job: Omit<JobTemplate, 'name' | 'matrix'>,
): JobTemplate[] {
  return values.map((value) => ({ ...job, name: `${prefix} (${value})`, matrix: prefix }));
}

const workflowTemplates: Readonly<Record<WorkflowKey, WorkflowTemplate>> = {
  ci: {
    name: 'CI',
    file: 'ci.yml',
    jobs: [
      { name: 'build', stage: 0, ...hosted, seconds: [40, 120], steps: ['Build', 'Upload build'] },
      ...matrix('test', ['ubuntu-24.04, 22', 'ubuntu-24.04, 24', 'ubuntu-24.04, 26', 'windows-2025, 26'], {
        stage: 1,
        ...hosted,
        seconds: [45, 240],
        steps: ['Download build', 'Run unit tests', 'Run integration tests', 'Upload report'],
      }),
      {
        name: 'coverage',
        stage: 2,
        ...hosted,
        seconds: [10, 30],
        steps: ['Merge reports', 'Check threshold'],
      },
    ],
  },
  lint: {
    name: 'Lint',
    file: 'lint.yml',
    jobs: [
      { name: 'lint', stage: 0, ...hosted, seconds: [15, 50], steps: ['Check format', 'Run linter'] },
      { name: 'types', stage: 0, ...hosted, seconds: [25, 80], steps: ['Check types'] },
    ],
  },
  e2e: {
    name: 'End-to-end',
    file: 'e2e.yml',
    jobs: matrix('browser', ['chromium, 1/2', 'chromium, 2/2', 'firefox, 1/1'], {
      stage: 0,
      runner: 'large',
      seconds: [120, 360],
      steps: ['Install browsers', 'Start services', 'Run scenarios', 'Upload videos'],
    }),
  },
  release: {
    name: 'Release',
    file: 'release.yml',
    jobs: [
      ...matrix('package', ['linux-x64', 'darwin-arm64', 'win32-x64'], {
        stage: 0,
        ...hosted,
        seconds: [60, 200],
        steps: ['Build package', 'Sign package', 'Upload package'],
      }),
      { name: 'publish', stage: 1, ...hosted, seconds: [20, 60], steps: ['Write notes', 'Publish'] },
    ],
  },
  deploy: {
    name: 'Deploy',
    file: 'deploy.yml',
    jobs: [
      { name: 'image', stage: 0, runner: 'large', seconds: [50, 140], steps: ['Build image', 'Push image'] },
      deployJob('staging', 1, [25, 70]),
      deployJob('production', 2, [40, 120]),
    ],
  },
  nightly: {
    name: 'Nightly',
    file: 'nightly.yml',
    jobs: [
      ...matrix('database', ['postgres-16', 'postgres-17', 'postgres-18'], {
        stage: 0,
        runner: 'self-hosted',
        seconds: [150, 420],
        steps: ['Start database', 'Restore snapshot', 'Run long tests'],
      }),
      { name: 'dependency audit', stage: 0, ...hosted, seconds: [20, 60], steps: ['Audit'] },
    ],
  },
};

function deployJob(environment: string, stage: number, seconds: readonly [number, number]): JobTemplate {
  const steps = ['Plan', 'Apply', 'Check health'];
  return { name: `deploy to ${environment}`, stage, runner: 'self-hosted', seconds, steps, environment };
}

/** A workflow file in one repository. */
export interface Workflow {
  template: WorkflowTemplate;
  /** The `workflow` object of an event. */
  object: WorkflowObject;
}

type WorkflowObject = ReturnType<typeof workflowObject>;

export function workflow(urls: ForgeUrls, repository: Repository, key: WorkflowKey): Workflow {
  const template = workflowTemplates[key];
  return { template, object: workflowObject(urls, repository, template) };
}

function workflowObject(urls: ForgeUrls, { full }: Repository, { name, file }: WorkflowTemplate) {
  const id = stableId('workflow', `${full.full_name}/${file}`, 20_000_000, 190_000_000);
  const path = `.github/workflows/${file}`;
  return Object.freeze({
    id,
    node_id: nodeId('W', id),
    name,
    path,
    state: 'active',
    created_at: '2024-02-20T10:02:41.000Z',
    updated_at: '2026-09-14T13:25:09.000Z',
    url: `${full.url}/actions/workflows/${id}`,
    html_url: `${urls.web}/${full.full_name}/blob/main/${path}`,
    badge_url: `${urls.web}/${full.full_name}/workflows/${encodeURIComponent(name)}/badge.svg`,
  });
}
