import type { Tx } from '#platform/database/database.ts';
import {
  findLabel,
  listWorkflowStates,
  type StateSelection,
  type WorkflowState,
} from './workflow-state-store.ts';

export {
  staleAfterDays,
  type StateSelection,
  type WorkflowName,
  type WorkflowState,
} from './workflow-state-store.ts';

/**
 * The state of each selected workflow, the one that ran last first. The wallboard, the overview, CCTray and badges all ask here. The time
 * depends on the number of workflows and not on the number of runs.
 */
export function readWorkflowStates(
  tx: Tx,
  integrationId: string,
  selection: StateSelection,
): Promise<WorkflowState[]> {
  return listWorkflowStates(tx, integrationId, selection);
}

/** The name of the integration, as the title of its states. */
export function readLabel(tx: Tx, integrationId: string): Promise<string> {
  return findLabel(tx, integrationId);
}
