import { isFailed } from '#contract/runs/conclusions.ts';
import type { FinishedJob, FinishedRun } from './finished-run.ts';

/**
 * Attributes of the semantic conventions for CI/CD and version control: https://opentelemetry.io/docs/specs/semconv/cicd/. Where they have no
 * name, the one of the collector's `githubreceiver`. `docs/guide/traces.md` lists all.
 */
export type Attributes = Record<string, string | number | string[]>;

/** Identifies the run, so it is written once for all its spans. */
export function resourceAttributes(run: FinishedRun): Attributes {
  const [owner, name] = splitRepository(run.repository);
  return known({
    'service.name': name.toLowerCase().replaceAll('_', '-'),
    'vcs.owner.name': owner,
    'vcs.repository.name': name,
    'vcs.repository.url.full': repositoryUrl(run),
    'vcs.provider.name': run.url?.startsWith('https://github.com/') === true ? 'github' : null,
    'vcs.ref.head.name': run.headBranch,
    'vcs.ref.head.revision': run.headSha,
    'vcs.change.id': run.pullRequest === null ? null : String(run.pullRequest),
    'cicd.pipeline.name': run.workflow,
    'cicd.pipeline.run.id': String(run.runId),
    'cicd.pipeline.run.url.full': run.url,
  });
}

export function runAttributes({ attempt, event, conclusion }: FinishedRun): Attributes {
  return known({
    'cicd.pipeline.result': resultOf(conclusion),
    'error.type': errorOf(conclusion),
    'forgewatch.run.attempt': attempt,
    'forgewatch.run.event': event,
  });
}

export function jobAttributes(job: FinishedJob): Attributes {
  return known({
    ...taskAttributes(String(job.jobId), job.name, job.conclusion),
    'cicd.pipeline.task.run.url.full': job.url,
    'cicd.worker.name': job.runnerName,
    'cicd.pipeline.worker.group.name': job.runnerGroup,
    'cicd.pipeline.worker.labels': job.labels.length === 0 ? null : [...job.labels],
  });
}

/** A step of a job, which the conventions call a task too. */
export function taskAttributes(id: string, name: string, conclusion: string | null): Attributes {
  return known({
    'cicd.pipeline.task.name': name,
    'cicd.pipeline.task.run.id': id,
    'cicd.pipeline.task.run.result': resultOf(conclusion),
    'error.type': errorOf(conclusion),
  });
}

const results: Record<string, string> = {
  timed_out: 'timeout',
  cancelled: 'cancellation',
  skipped: 'skip',
  startup_failure: 'error',
};

/** Conclusions without a result of the conventions keep their name, as the conventions allow. */
function resultOf(conclusion: string | null): string | null {
  return conclusion === null ? null : (results[conclusion] ?? conclusion);
}

function errorOf(conclusion: string | null): string | null {
  return isFailed(conclusion) ? conclusion : null;
}

function splitRepository(repository: string): [string | null, string] {
  const end = repository.lastIndexOf('/');
  return end === -1 ? [null, repository] : [repository.slice(0, end), repository.slice(end + 1)];
}

/** The start of the run's URL, because the forge may be below a path. */
function repositoryUrl({ url, repository }: FinishedRun): string | null {
  const at = url?.indexOf(`/${repository}/`) ?? -1;
  return url === null || at === -1 ? null : url.slice(0, at + repository.length + 1);
}

function known(values: Record<string, string | number | string[] | null>): Attributes {
  return Object.fromEntries(
    Object.entries(values).filter(
      (entry): entry is [string, string | number | string[]] => entry[1] !== null,
    ),
  );
}
