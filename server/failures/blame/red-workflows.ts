import type { Attention } from '#contract/metrics/overview.ts';
import { isRed } from '#contract/runs/conclusions.ts';
import type { Tx } from '#platform/database/database.ts';
import type { WorkflowState } from '#server/runs/latest/workflow-states.ts';
import { readRedStreaks } from './blame.ts';
import { listClosedByPeople } from './streak-start-store.ts';

/**
 * The red ones of these workflows, longest red first, with what is known about each. Those whose incident a person closed, without a newer
 * failure, are left out.
 */
export async function readRedWorkflows(
  tx: Tx,
  integrationId: string,
  states: readonly WorkflowState[],
  limit: number,
): Promise<Attention[]> {
  const red = states.flatMap(({ repository, workflow, last }) =>
    last !== null && isRed(last.conclusion) ? [{ repository, workflow, last }] : [],
  );
  const [streaks, closed] = await Promise.all([
    readRedStreaks(
      tx,
      integrationId,
      red.map(({ last }) => last.runId),
    ),
    listClosedByPeople(
      tx,
      integrationId,
      red.map(({ repository, workflow, last: { runId, branch } }) => ({
        repository,
        workflow,
        branch,
        runId,
      })),
    ),
  ]);
  return red
    .filter(({ last }) => !closed.includes(last.runId))
    .flatMap(({ repository, workflow, last: { runId: lastRunId, conclusion, branch } }) => {
      const streak = streaks.get(lastRunId);
      if (streak === undefined) return [];
      const { firstRunId: _, ...facts } = streak;
      return [{ repository, workflow, branch, conclusion, lastRunId, ...facts }];
    })
    .toSorted((a, b) => a.since.localeCompare(b.since))
    .slice(0, limit);
}
