import type { StepTrend } from '#contract/metrics/steps.ts';
import type { Tx } from '#platform/database/database.ts';
import type { Found } from '../compare-periods.ts';
import { keyOf } from '../compared-items.ts';
import { listJobSteps, type StepsOf } from './job-steps-store.ts';
import { compareSteps, stepsBehind } from './step-trends.ts';

/** The steps that explain each change of a job that became slower or fails more. One query for all. */
export async function readStepsBehind(
  tx: Tx,
  integrationId: string,
  changes: readonly Found[],
  {
    span,
    onDefaultBranch,
  }: {
    span: { previousFrom: number; from: number; to: number };
    onDefaultBranch: boolean | undefined;
  },
): Promise<StepTrend[][]> {
  const jobs = new Map<string, StepsOf>();
  for (const change of changes) if (hasSteps(change)) jobs.set(keyOf(change), change);
  const compared = compareSteps(
    await listJobSteps(tx, integrationId, [...jobs.values()], span, onDefaultBranch),
  );
  const places = new Map([...jobs.keys()].map((key, index) => [key, index]));
  return changes.map((change) =>
    hasSteps(change) ? stepsBehind(change.kind, compared.get(places.get(keyOf(change)) ?? -1) ?? []) : [],
  );
}

function hasSteps(change: Found): change is Found & { kind: 'slower' | 'failing' } {
  return change.job !== null && (change.kind === 'slower' || change.kind === 'failing');
}
