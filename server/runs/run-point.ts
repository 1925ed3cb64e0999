import type { RunPoint } from '#contract/failures/failures.ts';

/** A run as the database returns it, or as JSON within a row. */
export interface RunPointRow {
  run_id: string | number;
  run_number: string | number | null;
  head_sha: string | null;
  title: string | null;
  actor: string | null;
  created_at: Date | string;
}

export function runPoint(row: RunPointRow): RunPoint {
  return {
    runId: Number(row.run_id),
    runNumber: row.run_number === null ? null : Number(row.run_number),
    headSha: row.head_sha,
    title: row.title,
    actor: row.actor,
    createdAt: new Date(row.created_at).toISOString(),
  };
}
