import { given, readNumber, readText } from '../../app/search-values.ts';

/** The visible part of a run. */
export interface RunPageSearch {
  /** Undefined for the newest. */
  attempt?: number;
  /** The expanded job. */
  job?: number;
  /** What names or statuses of the listed jobs contain. */
  find?: string;
}

export function readRunPageSearch(search: Record<string, unknown>): RunPageSearch {
  return given({
    attempt: readNumber(search['attempt']),
    job: readNumber(search['job']),
    find: readText(search['find'], 255),
  });
}
