import type { Log } from '../log.ts';
import { hourMs, minuteMs } from '../time-units.ts';

export interface FailureLog {
  /** Logs the first failure of each cause in full. Later ones are counted. */
  failed(error: unknown, facts?: object, level?: 'warn' | 'error'): void;
  /** Resolves when the work has succeeded or failed. A failure after the signal is aborted is part of a stop. */
  watch(work: Promise<unknown>, signal: AbortSignal): Promise<void>;
  /** Ends a series of failures once the last one is a minute old. */
  succeeded(): void;
}

/** Causes that are logged in full before one series ends. */
const mostCauses = 5;
const firstCountMs = minuteMs;
/** Also the time without failures after which a success is a recovery: work that now fails and now succeeds has not recovered. */
const quietMs = minuteMs;
const longestCountMs = hourMs;

interface Series {
  failures: number;
  startedAt: number;
  lastAt: number;
  hasSucceeded: boolean;
  causes: Set<string>;
  countAt: number;
  countEveryMs: number;
}

/**
 * The log of work that is repeated until it succeeds. A full disk makes it fail every second for hours, so one series of failures is
 * logged once with its stack, then as a count after one, five, and 21 minutes and so on, at most hourly, and when it ends.
 */
export function makeFailureLog(
  log: Log,
  work: { message: string; facts?: object },
  now: () => number = () => performance.now(),
): FailureLog {
  const { message, facts: always } = work;
  let series: Series | undefined;
  const end = (): void => {
    if (series !== undefined) log.info({ ...always, ...countOf(series) }, `${message}, now succeeds`);
    series = undefined;
  };
  const countOf = ({ failures, startedAt, lastAt }: Series) => ({
    failures,
    seconds: Math.round((lastAt - startedAt) / 1000),
  });
  const failures: FailureLog = {
    failed: (error, facts, level = 'warn') => {
      const at = now();
      if (series?.hasSucceeded && at - series.lastAt >= quietMs) end();
      series ??= {
        failures: 0,
        startedAt: at,
        lastAt: at,
        hasSucceeded: false,
        causes: new Set(),
        countAt: at + firstCountMs,
        countEveryMs: firstCountMs,
      };
      series.failures += 1;
      series.lastAt = at;
      series.hasSucceeded = false;
      const cause = causeOf(error);
      if (!series.causes.has(cause) && series.causes.size < mostCauses) {
        series.causes.add(cause);
        log[level]({ err: error, ...always, ...facts }, message);
      } else if (at >= series.countAt) {
        series.countEveryMs = Math.min(longestCountMs, series.countEveryMs * 4);
        series.countAt = at + series.countEveryMs;
        const problem = error instanceof Error ? error.message : String(error);
        log[level]({ ...always, ...countOf(series), problem }, `${message} repeatedly`);
      }
    },
    succeeded: () => {
      if (series === undefined) return;
      series.hasSucceeded = true;
      if (now() - series.lastAt >= quietMs) end();
    },
    watch: (work, signal) =>
      work.then(failures.succeeded, (error: unknown) => {
        if (!signal.aborted) failures.failed(error);
      }),
  };
  return failures;
}

/** Messages may contain a time or an id, so a cause is a code, or a type of errors. */
function causeOf(error: unknown): string {
  const code = (error as { code?: unknown } | undefined)?.code;
  if (typeof code === 'string' || typeof code === 'number') return String(code);
  return error instanceof Error ? error.constructor.name : typeof error;
}
