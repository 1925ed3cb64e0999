import type { IncidentKind } from '#contract/alerts/alerts.ts';
import type { Place } from '#contract/alerts/glob.ts';

/** What a rule can watch beside failures. */
export type Watch = Exclude<IncidentKind, 'failure'>;

/** A time in which something did not happen. */
export interface Episode extends Place {
  kind: Watch;
  /** The label or the job; null for a workflow. */
  subject: string | null;
  /** Milliseconds since the epoch; `to` is null while it lasts. */
  from: number;
  to: number | null;
  /** A sentence for people. */
  text: string;
  /** The run or job that shows it. */
  runId: number;
  attempt: number;
  jobId: number | null;
  url: string | null;
  /** The test that changed, if it is only one. */
  testId?: string;
  /** When the quarantine of its tests ended. They had changed before, in a run that can have other tests. */
  quarantineEnded?: number | null;
}

/** Groups by the JSON of the key, in the order of the first element. */
export function groupBy<T>(items: readonly T[], keyOf: (item: T) => unknown): T[][] {
  return [...Map.groupBy(items, (item) => JSON.stringify(keyOf(item))).values()];
}
