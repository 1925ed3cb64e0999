/**
 * The share of decided runs whose first attempt succeeded. A run that succeeded in a later attempt counts as a failure. Null when
 * nothing was decided.
 */
export function firstTryRate({
  succeeded,
  recovered,
  failed,
}: {
  succeeded: number;
  /** Of those that succeeded, in a later attempt. */
  recovered: number;
  failed: number;
}): number | null {
  return succeeded + failed === 0 ? null : (succeeded - recovered) / (succeeded + failed);
}

/** The filter of the runs that it counts. */
export const firstTryOnly = { conclusion: 'success', attempt: 'first' } as const;
