import type { WorkflowRun } from '#contract/runs/runs.ts';
import { titleOf } from '../run-texts.ts';

/** A run that people act on, with what a confirmation says about it. */
export interface ActedRun {
  integrationId: string;
  runId: number;
  repository: string;
  title: string;
  runNumber: number | null;
  branch: string | null;
}

export function actedRun(run: WorkflowRun): ActedRun {
  const { integrationId, runId, repository, runNumber, headBranch } = run;
  return { integrationId, runId, repository, title: titleOf(run), runNumber, branch: headBranch };
}

export interface RunAction {
  label: string;
  /** The title of the confirmation. */
  question: string;
  rest: 'rerun' | 'cancel';
  body?: object;
  done: string;
}

export const runActions = {
  rerunFailed: {
    label: 'Re-run failed jobs',
    question: 'Re-run the failed jobs?',
    rest: 'rerun',
    body: { scope: 'failed' },
    done: 'The forge re-runs the failed jobs',
  },
  rerunAll: {
    label: 'Re-run all jobs',
    question: 'Re-run all jobs?',
    rest: 'rerun',
    body: { scope: 'all' },
    done: 'The forge re-runs all jobs',
  },
  cancel: {
    label: 'Cancel run',
    question: 'Cancel the run?',
    rest: 'cancel',
    done: 'The forge cancels the run',
  },
} as const satisfies Record<string, RunAction>;
