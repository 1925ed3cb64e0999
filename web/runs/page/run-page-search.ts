/** The visible part of a run. */
export interface RunPageSearch {
  /** Undefined for the newest. */
  attempt?: number;
  /** The expanded job. */
  job?: number;
}

export function readRunPageSearch(search: Record<string, unknown>): RunPageSearch {
  const [attempt, job] = [numberOf(search['attempt']), numberOf(search['job'])];
  return { ...(attempt && { attempt }), ...(job && { job }) };
}

function numberOf(value: unknown): number | undefined {
  // A list or an object of a foreign link can have any method of conversion, or none.
  const number = typeof value === 'object' ? undefined : Number(value);
  return number && Number.isSafeInteger(number) && number > 0 ? number : undefined;
}
