import type { JobStep } from '#contract/runs/runs.ts';

/** What a trace shows of an attempt of a run. It has no title, commit message, login, log or error line: any of them may hold a secret or an address. */
export interface FinishedRun {
  runId: number;
  attempt: number;
  repository: string;
  workflow: string | null;
  conclusion: string | null;
  event: string | null;
  headBranch: string | null;
  headSha: string | null;
  pullRequest: number | null;
  url: string | null;
  createdAt: Date;
  startedAt: Date | null;
  /** Null when the attempt is not completed, which happens for a late job of a run that the forge started again. */
  completedAt: Date | null;
}

export interface FinishedJob {
  jobId: number;
  name: string;
  conclusion: string | null;
  url: string | null;
  runnerName: string | null;
  runnerGroup: string | null;
  labels: readonly string[];
  createdAt: Date | null;
  startedAt: Date | null;
  completedAt: Date;
  steps: readonly JobStep[];
}

/** One trace, or a part of it: a run with many jobs is sent in several parts. */
export interface TracePart {
  run: FinishedRun;
  hasRunSpan: boolean;
  jobs: readonly FinishedJob[];
}
