import { idAtForge } from '#server/runs/objects/forge-ids.ts';
import type { Forge } from './port.ts';

/** Takes ids of runs and jobs as they are stored. With `fullName`, also the stored name of that repository. */
export function byStoredIds(forge: Forge, fullName?: string): Forge {
  const nameOf = (repository: string): string => fullName ?? repository;
  return {
    ...forge,
    readRun: (repository, run) => forge.readRun(nameOf(repository), idAtForge(run)),
    readAttempt: (repository, run, attempt) => forge.readAttempt(nameOf(repository), idAtForge(run), attempt),
    listJobs: (repository, run) => forge.listJobs(nameOf(repository), idAtForge(run)),
    readJobLog: (repository, job, extent) => forge.readJobLog(nameOf(repository), idAtForge(job), extent),
    listAnnotations: (repository, job) => forge.listAnnotations(nameOf(repository), idAtForge(job)),
    rerunFailed: (repository, run) => forge.rerunFailed(nameOf(repository), idAtForge(run)),
    rerunAll: (repository, run) => forge.rerunAll(nameOf(repository), idAtForge(run)),
    rerunJob: (repository, run, job) => forge.rerunJob(nameOf(repository), idAtForge(run), idAtForge(job)),
    cancel: (repository, run) => forge.cancel(nameOf(repository), idAtForge(run)),
  };
}
