/**
 * Names of the OpenTelemetry semantic conventions for CI/CD and VCS (https://opentelemetry.io/docs/specs/semconv/cicd/), and of
 * their extension by the collector's `githubreceiver`. All exports of runs use them. Names that neither has begin with `forgewatch.`.
 */
export const attributeNames = {
  pipelineName: 'cicd.pipeline.name',
  pipelineResult: 'cicd.pipeline.result',
  pipelineRunState: 'cicd.pipeline.run.state',
  taskState: 'forgewatch.pipeline.task.state',
  /** Of `githubreceiver`: the labels that a job requires of its runner. */
  workerLabels: 'cicd.pipeline.worker.labels',
  testState: 'forgewatch.test.state',
  ownerName: 'vcs.owner.name',
  repositoryName: 'vcs.repository.name',
  /** Marks the series that adds up all others beyond a limit (OpenTelemetry metrics SDK, cardinality limits). */
  overflow: 'otel.metric.overflow',
} as const;

export type PipelineResult = 'success' | 'failure' | 'error' | 'timeout' | 'cancellation' | 'skip';

export const activeStates = ['pending', 'executing'] as const;
export type ActiveState = (typeof activeStates)[number];

export interface MetricInfo {
  name: string;
  /** UCUM; a text in braces counts things. */
  unit: 's' | '{run}' | '{job}' | '{test}';
  kind: 'counter' | 'gauge' | 'histogram';
  description: string;
}

export const ciMetrics = {
  runs: {
    name: 'forgewatch.pipeline.runs',
    unit: '{run}',
    kind: 'counter',
    description: 'Completed attempts of workflow runs.',
  },
  runDuration: {
    name: 'cicd.pipeline.run.duration',
    unit: 's',
    kind: 'histogram',
    description:
      'Time from start to end of completed workflow runs. Skipped and cancelled runs are not measured.',
  },
  activeRuns: {
    name: 'cicd.pipeline.run.active',
    unit: '{run}',
    kind: 'gauge',
    description: 'Workflow runs that wait (pending) or run (executing).',
  },
  queueDuration: {
    name: 'forgewatch.pipeline.task.queue.duration',
    unit: 's',
    kind: 'histogram',
    description: 'Time from creation to start of completed jobs, by the labels of their runner.',
  },
  activeJobs: {
    name: 'forgewatch.pipeline.task.active',
    unit: '{job}',
    kind: 'gauge',
    description: 'Jobs that wait for a runner (pending) or run (executing), by the labels of their runner.',
  },
  tests: {
    name: 'forgewatch.tests',
    unit: '{test}',
    kind: 'gauge',
    description: 'Tests that are broken on the default branch, or flaky.',
  },
} as const satisfies Record<string, MetricInfo>;

/** The result of a conclusion. Conclusions that neither succeed nor fail, such as neutral, count as skipped. */
export function resultOf(conclusion: string | null): PipelineResult {
  switch (conclusion) {
    case 'success':
      return 'success';
    case 'failure':
    case 'action_required':
      return 'failure';
    case 'startup_failure':
      return 'error';
    case 'timed_out':
      return 'timeout';
    case 'cancelled':
      return 'cancellation';
    default:
      return 'skip';
  }
}

/** The state of a run or job that is not completed. */
export function activeStateOf(status: string): ActiveState {
  return status === 'in_progress' ? 'executing' : 'pending';
}

/** A repository as owner and name. Two repositories never give the same pair. */
export function repositoryAttributes(repository: string): Record<string, string> {
  const slash = repository.indexOf('/');
  const [owner, name] =
    slash > 0 ? [repository.slice(0, slash), repository.slice(slash + 1)] : ['', repository];
  return { [attributeNames.ownerName]: owner, [attributeNames.repositoryName]: name };
}
