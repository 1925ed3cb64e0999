import type { HideWorkflowBody } from '#contract/runs/hidden-workflows.ts';
import type { Tx } from '#platform/database/database.ts';

export interface HiddenRow extends HideWorkflowBody {
  hiddenWorkflowId: string;
  hiddenAt: Date;
  hiddenBy: string | null;
  name: string | null;
}

const columns = `h.hidden_workflow_id as "hiddenWorkflowId", h.repository, h.workflow, h.hidden_at as "hiddenAt",
  h.hidden_by as "hiddenBy", coalesce(u.name, u.forge_login) as name`;

/** Newest first. */
export function listHidden(tx: Tx, integrationId: string): Promise<HiddenRow[]> {
  return tx.rows<HiddenRow>(
    `select ${columns} from hidden_workflows h left join users u on u.user_id = h.hidden_by
     where h.integration_id = $1 order by h.hidden_at desc, h.hidden_workflow_id`,
    [integrationId],
  );
}

export async function insertHidden(
  tx: Tx,
  integrationId: string,
  { repository, workflow }: HideWorkflowBody,
  hiddenBy: string,
): Promise<void> {
  await tx.query(
    'insert into hidden_workflows (integration_id, repository, workflow, hidden_by) values ($1, $2, $3, $4)',
    [integrationId, repository, workflow, hiddenBy],
  );
}

/** Undefined if the integration has no such row. */
export function deleteHidden(
  tx: Tx,
  integrationId: string,
  hiddenWorkflowId: string,
): Promise<HideWorkflowBody | undefined> {
  return tx.row<HideWorkflowBody>(
    'delete from hidden_workflows where integration_id = $1 and hidden_workflow_id = $2 returning repository, workflow',
    [integrationId, hiddenWorkflowId],
  );
}
