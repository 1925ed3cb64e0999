import { isWithoutResult } from '#contract/runs/conclusions.ts';

interface Span {
  status: string;
  conclusion: string | null;
  startedAt: number | null;
  completedAt: number | null;
}

/** From the real start to the end in milliseconds; null until completed. 0 when the end is before the start. */
export function durationMs({
  startedAt,
  completedAt,
}: Pick<Span, 'startedAt' | 'completedAt'>): number | null {
  return startedAt === null || completedAt === null ? null : Math.max(0, completedAt - startedAt);
}

/** A job that was skipped or cancelled before it started took no time. */
export function jobDurationMs(job: Omit<Span, 'status'>): number | null {
  return job.completedAt !== null && job.startedAt === null && isWithoutResult(job.conclusion)
    ? 0
    : durationMs(job);
}

/** From creation to the real start in milliseconds; null while waiting. */
export function queueMs(job: { createdAt: number | null; startedAt: number | null }): number | null {
  return job.createdAt === null || job.startedAt === null ? null : Math.max(0, job.startedAt - job.createdAt);
}

/** Skipped and cancelled runs and jobs may end before they start, so their times are not measured. */
export function isMeasured({ status, conclusion }: Pick<Span, 'status' | 'conclusion'>): boolean {
  return status === 'completed' && !isWithoutResult(conclusion);
}
