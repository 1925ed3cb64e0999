/** What of a run is looked at. */
export interface RunPageSearch {
  /** The newest without it. */
  attempt?: number;
  /** The job that is open. */
  job?: number;
}

export function readRunPageSearch(search: Record<string, unknown>): RunPageSearch {
  const [attempt, job] = [numberOf(search['attempt']), numberOf(search['job'])];
  return { ...(attempt && { attempt }), ...(job && { job }) };
}

function numberOf(value: unknown): number | undefined {
  const number = Number(value);
  return Number.isSafeInteger(number) && number > 0 ? number : undefined;
}
