import { readNumber } from '../../app/search-values.ts';

/** The visible part of a run. */
export interface RunPageSearch {
  /** Undefined for the newest. */
  attempt?: number;
  /** The expanded job. */
  job?: number;
}

export function readRunPageSearch(search: Record<string, unknown>): RunPageSearch {
  const [attempt, job] = [readNumber(search['attempt']), readNumber(search['job'])];
  return { ...(attempt && { attempt }), ...(job && { job }) };
}
