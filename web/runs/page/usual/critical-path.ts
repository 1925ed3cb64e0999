interface Span {
  status: string;
  conclusion: string | null;
  createdAt: string | null;
  startedAt: string | null;
  completedAt: string | null;
}

/** Forges create a job this soon after the last job that it needs. */
const soonMs = 5_000;

/**
 * The jobs that decide how long the run takes, in their order: the one that ends last, the one whose end it was created after, and so on. Events do
 * not say which jobs a job needs, so its time of creation must show it. A skipped job takes no time. Empty when only one job decides.
 */
export function criticalPath<Job extends Span>(jobs: readonly Job[]): Job[] {
  const path: Job[] = [];
  const begun = jobs.filter(({ startedAt, conclusion }) => startedAt !== null && conclusion !== 'skipped');
  let last = latest(begun);
  while (last !== undefined && path.length < begun.length) {
    path.unshift(last);
    const created = Date.parse(last.createdAt ?? '');
    last = latest(
      begun.filter((job) => {
        const sinceMs = created - Date.parse(job.completedAt ?? '');
        return !path.includes(job) && sinceMs >= -1000 && sinceMs <= soonMs;
      }),
    );
  }
  return path.length < 2 ? [] : path;
}

/** A job that is not completed ends later than all that are. */
function latest<Job extends Span>(jobs: readonly Job[]): Job | undefined {
  return jobs.toSorted((a, b) => endOf(b) - endOf(a))[0];
}

function endOf({ completedAt }: Span): number {
  return completedAt === null ? Infinity : Date.parse(completedAt);
}
