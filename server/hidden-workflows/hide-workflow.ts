import {
  mostHiddenWorkflows,
  type HiddenWorkflow,
  type HideWorkflowBody,
} from '#contract/runs/hidden-workflows.ts';
import type { Tx } from '#platform/database/database.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import { closeIncidentsOfWorkflow, lockIncidents } from '#server/alerts/incidents/change-incident.ts';
import { enqueueRed } from '#server/alerts/red-now/enqueue-red.ts';
import { addLogEntry } from '#server/event-log/add-entry.ts';
import { withRole, type Actor } from '#server/members/locks/lock-member-role.ts';
import { countStreamChange } from '#server/realtime/outbox/read-position.ts';
import { readShownNames } from '#server/runs/names/shown-names.ts';
import { hasRun } from '#server/runs/read-run.ts';
import { deleteHidden, insertHidden, listHidden, type HiddenRow } from './store.ts';

export type HideDeps = Pick<SharedDeps, 'db' | 'clock'>;

export async function readHidden(tx: Tx, integrationId: string): Promise<HiddenWorkflow[]> {
  return (await listHidden(tx, integrationId)).map(hiddenWorkflow);
}

/**
 * Takes a workflow off the wallboard, CCTray, badges and the overview, and closes its open incidents. Rules ignore its failures until
 * somebody shows it again: a later run does not. A workflow that is hidden stays so.
 * @throws AppError `not_found` for a workflow without a run; `conflict` when too many are hidden
 */
export async function hideWorkflow(
  { db, clock }: HideDeps,
  actor: Actor,
  { repository, workflow }: HideWorkflowBody,
): Promise<HiddenWorkflow> {
  const { integrationId, actorId } = actor;
  return withRole(db, actor, 'admin', async (tx) => {
    // Also orders two people who hide at once.
    await lockIncidents(tx, integrationId);
    const hidden = await listHidden(tx, integrationId);
    const isThis = (row: HiddenRow) => row.repository === repository && row.workflow === workflow;
    const known = hidden.find(isThis);
    if (known !== undefined) return hiddenWorkflow(known);
    if (hidden.length >= mostHiddenWorkflows)
      throw new AppError('conflict', {
        detail: `The limit of ${mostHiddenWorkflows} hidden workflows is reached. Show another one first.`,
      });
    if (!(await hasRun(tx, integrationId, { repository, workflow })))
      throw new AppError('not_found', { detail: 'The repository has no run of this workflow.' });
    await insertHidden(tx, integrationId, { repository, workflow }, actorId);
    const names = await readShownNames(tx, [integrationId]);
    const shown = names.show(integrationId, { repository, workflow });
    await addLogEntry(tx, {
      ...actor,
      type: 'repository.workflow_hidden',
      title: `${nameOf(shown.workflow)} of ${shown.repository} was hidden`,
      details: shown,
    });
    await closeIncidentsOfWorkflow(tx, actor, { repository, workflow }, clock());
    await countStreamChange(tx, integrationId);
    const row = (await listHidden(tx, integrationId)).find(isThis);
    return hiddenWorkflow(row!);
  });
}

/** Its incidents stay closed. If it is red, another one opens. @throws AppError `not_found` */
export async function showWorkflow({ db }: HideDeps, actor: Actor, hiddenWorkflowId: string): Promise<void> {
  const { integrationId } = actor;
  await withRole(db, actor, 'admin', async (tx) => {
    const deleted = await deleteHidden(tx, integrationId, hiddenWorkflowId);
    if (deleted === undefined) throw new AppError('not_found', { detail: 'The workflow is not hidden.' });
    const shown = (await readShownNames(tx, [integrationId])).show(integrationId, deleted);
    await addLogEntry(tx, {
      ...actor,
      type: 'repository.workflow_shown',
      title: `${nameOf(shown.workflow)} of ${shown.repository} is shown again`,
      details: { ...shown },
    });
    await enqueueRed(tx, integrationId, { names: [deleted] });
    await countStreamChange(tx, integrationId);
  });
}

const nameOf = (workflow: string): string => (workflow === '' ? 'The unnamed workflow' : workflow);

function hiddenWorkflow({ hiddenAt, hiddenBy, name, ...row }: HiddenRow): HiddenWorkflow {
  return {
    ...row,
    hiddenAt: hiddenAt.toISOString(),
    hiddenBy: hiddenBy === null ? null : { userId: hiddenBy, name },
  };
}
