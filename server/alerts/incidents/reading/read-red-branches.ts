import type { Triage } from '#contract/alerts/incidents.ts';
import type { Attention } from '#contract/metrics/overview.ts';
import type { Tx } from '#platform/database/database.ts';
import { branchKey } from '#server/alerts/branches/branch-keys.ts';
import { readRedWorkflows } from '#server/failures/blame/red-workflows.ts';
import type { WorkflowState } from '#server/runs/latest/workflow-states.ts';
import { listOpenIncidents } from './incident-list-store.ts';
import { incidentOf } from './read-history.ts';

export interface RedBranch {
  workflow: Attention;
  /** Null for some seconds after the first failure. */
  incident: Triage | null;
}

/** The red ones of these workflows, longest red first, with who works on each. */
export async function readRedBranches(
  tx: Tx,
  integrationId: string,
  { states, now }: { states: readonly WorkflowState[]; now: number },
  limit: number,
): Promise<RedBranch[]> {
  const red = await readRedWorkflows(tx, integrationId, states, limit);
  const incidents = await readTriages(tx, integrationId, red, now);
  return red.map((workflow, index) => ({ workflow, incident: incidents[index] ?? null }));
}

interface BranchName {
  repository: string;
  workflow: string;
  branch: string | null;
}

/** Who works on the open incident of each workflow, in their order; undefined without one. */
export async function readTriages(
  tx: Tx,
  integrationId: string,
  branches: readonly BranchName[],
  now: number,
): Promise<(Triage | undefined)[]> {
  if (branches.length === 0) return [];
  const keys = branches.map(({ repository, workflow, branch }) =>
    branchKey({ repository, branch, workflow: workflow === '' ? null : workflow }),
  );
  const rows = await listOpenIncidents(tx, integrationId, keys);
  const byKey = new Map(rows.map((row) => [row.branch_key.toString('hex'), triageOf(incidentOf(row, now))]));
  return keys.map((key) => byKey.get(key.toString('hex')));
}

function triageOf(incident: Triage): Triage {
  const { incidentId, status, version, acknowledged, assignee, snoozedUntil, owner } = incident;
  return { incidentId, status, version, acknowledged, assignee, snoozedUntil, owner };
}
