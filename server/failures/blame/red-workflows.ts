import type { Attention } from '#contract/metrics/overview.ts';
import { isRed } from '#contract/runs/conclusions.ts';
import type { Tx } from '#platform/database/database.ts';
import type { WorkflowState } from '#server/runs/latest/workflow-states.ts';
import { readRedStreaks } from './blame.ts';

/** The red ones of these workflows, longest red first, with what is known about each. */
export async function readRedWorkflows(
  tx: Tx,
  integrationId: string,
  states: readonly WorkflowState[],
  limit: number,
): Promise<Attention[]> {
  const red = states.flatMap(({ repository, workflow, last }) =>
    last !== null && isRed(last.conclusion) ? [{ repository, workflow, last }] : [],
  );
  const streaks = await readRedStreaks(
    tx,
    integrationId,
    red.map(({ last }) => last.runId),
  );
  return red
    .flatMap(({ repository, workflow, last: { runId: lastRunId, conclusion, branch } }) => {
      const streak = streaks.get(lastRunId);
      if (streak === undefined) return [];
      const { firstRunId: _, ...facts } = streak;
      return [{ repository, workflow, branch, conclusion, lastRunId, ...facts }];
    })
    .toSorted((a, b) => a.since.localeCompare(b.since))
    .slice(0, limit);
}
