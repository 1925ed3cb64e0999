import { isFailed } from '#contract/runs/conclusions.ts';
import type { WorkflowJob } from '#contract/runs/runs.ts';
import { sortRows, type Sort, type SortValue } from '../../../ui/table/sort-rows.ts';
import { statusOf } from '../../run-status.ts';

const values: Record<string, (job: WorkflowJob) => SortValue> = {
  name: ({ name }) => name,
  duration: ({ durationMs }) => durationMs,
};
const failedFirst = (job: WorkflowJob): number => (isFailed(job.conclusion) ? 0 : 1);

/** The jobs whose name or status contains the text: failed ones first, or in the order that a person chose. */
export function orderJobs(jobs: readonly WorkflowJob[], find: string, sort: Sort | undefined): WorkflowJob[] {
  const text = find.trim().toLowerCase();
  const found = jobs.filter((job) => `${job.name} ${statusOf(job).word}`.toLowerCase().includes(text));
  return sortRows(found, values[sort?.key ?? ''] ?? failedFirst, sort?.isDescending ?? false);
}
