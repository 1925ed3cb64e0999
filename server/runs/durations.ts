interface Span {
  status: string;
  conclusion: string | null;
  startedAt: number | null;
  completedAt: number | null;
}

/** From the real start to the end in milliseconds; null until completed. What ended before it began took no time. */
export function durationMs({
  startedAt,
  completedAt,
}: Pick<Span, 'startedAt' | 'completedAt'>): number | null {
  return startedAt === null || completedAt === null ? null : Math.max(0, completedAt - startedAt);
}

/** From creation to the real start in milliseconds; null while waiting. */
export function queueMs(job: { createdAt: number | null; startedAt: number | null }): number | null {
  return job.createdAt === null || job.startedAt === null ? null : Math.max(0, job.startedAt - job.createdAt);
}

/** Skipped and cancelled ones may end before they begin: their times say nothing about how long work takes. */
export function isMeasured({ status, conclusion }: Pick<Span, 'status' | 'conclusion'>): boolean {
  return status === 'completed' && conclusion !== 'skipped' && conclusion !== 'cancelled';
}
