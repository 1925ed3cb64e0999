import { readNumber } from '../app/search-values.ts';

/** The visible part of a log. */
export interface LogSearch {
  /** The line that the link is to. */
  line?: number;
}

export function readLogSearch(search: Record<string, unknown>): LogSearch {
  const line = readNumber(search['line']);
  return line ? { line } : {};
}
