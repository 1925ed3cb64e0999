import { conclusions } from '#contract/runs/conclusions.ts';
import type { WorkflowRun } from '#contract/runs/runs.ts';
import { clip } from '../ui/text/clip.ts';

export type Tone = 'idle' | 'running' | 'waiting' | 'passed' | 'failed';

interface Look {
  word: string;
  tone: Tone;
}

/** The statuses and conclusions that forges document. */
const looks = {
  requested: { word: 'Requested', tone: 'idle' },
  queued: { word: 'Queued', tone: 'idle' },
  pending: { word: 'Pending', tone: 'idle' },
  waiting: { word: 'Waiting', tone: 'waiting' },
  in_progress: { word: 'Running', tone: 'running' },
  success: { word: 'Passed', tone: 'passed' },
  failure: { word: 'Failed', tone: 'failed' },
  timed_out: { word: 'Timed out', tone: 'failed' },
  startup_failure: { word: 'Startup failure', tone: 'failed' },
  cancelled: { word: 'Cancelled', tone: 'idle' },
  skipped: { word: 'Skipped', tone: 'idle' },
  action_required: { word: 'Action required', tone: 'waiting' },
  neutral: { word: 'Neutral', tone: 'idle' },
  stale: { word: 'Stale', tone: 'idle' },
  /** Cancelled because of a newer run. */
  superseded: { word: 'Superseded', tone: 'idle' },
} as const satisfies Record<string, Look>;

export type StatusName = keyof typeof looks | 'completed' | 'unknown';

type Facts = Pick<WorkflowRun, 'status' | 'conclusion'> & Partial<Pick<WorkflowRun, 'supersededBy'>>;

/** The word and colour of the status of a run, job or step. Forges may send unknown statuses. */
export function statusOf({ status, conclusion, supersededBy }: Facts): Look & { name: StatusName } {
  const ended = typeof supersededBy === 'number' ? 'superseded' : conclusion;
  const name = status === 'completed' ? ended : status;
  if (name === null) return { name: 'completed', word: 'Completed', tone: 'idle' };
  if (Object.hasOwn(looks, name)) {
    const known = name as keyof typeof looks;
    return { name: known, ...looks[known] };
  }
  return { name: 'unknown', word: humanize(name), tone: 'idle' };
}

/** The word of what completed. */
export function conclusionWord(conclusion: string | null): string {
  return statusOf({ status: 'completed', conclusion }).word;
}

function humanize(name: string): string {
  const words = clip(name, 40).replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export const isOver = ({ status }: Pick<Facts, 'status'>): boolean => status === 'completed';

/** When it started running; null when it is not running. A queued run may have a start time too. */
export function runningSince({
  status,
  startedAt,
}: {
  status: string;
  startedAt: string | null;
}): string | null {
  return status === 'in_progress' ? startedAt : null;
}

/** The filter values for status and conclusion. */
export const statusChoices = {
  status: ['queued', 'pending', 'waiting', 'in_progress'],
  conclusion: conclusions,
} as const satisfies Record<'status' | 'conclusion', readonly (keyof typeof looks)[]>;
