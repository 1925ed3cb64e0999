import type { Tx } from '#platform/database/database.ts';

export interface SourceRow {
  sourceId: string;
  environment: string | null;
  repository: string | null;
  workflow: string | null;
  job: string | null;
}

export interface SetSourceRow extends SourceRow {
  setAt: Date;
  setBy: string | null;
  name: string | null;
}

const columns = 'source_id as "sourceId", environment, repository, workflow, job';

export function listSources(tx: Tx, integrationId: string): Promise<SourceRow[]> {
  return tx.rows<SourceRow>({
    name: 'list-deployment-sources',
    text: `select ${columns} from deployment_sources where integration_id = $1`,
    values: [integrationId],
  });
}

/** With who set them. */
export function listSetSources(tx: Tx, integrationId: string): Promise<SetSourceRow[]> {
  return tx.rows<SetSourceRow>({
    name: 'list-set-deployment-sources',
    text: `select ${columns}, set_at as "setAt", set_by as "setBy", coalesce(u.name, u.forge_login) as name
           from deployment_sources s left join users u on u.user_id = s.set_by
           where integration_id = $1 order by environment, repository, workflow, job`,
    values: [integrationId],
  });
}

/** False when it was declared before. */
export async function insertSource(
  tx: Tx,
  integrationId: string,
  { environment, repository, workflow, job }: Omit<SourceRow, 'sourceId'>,
  setBy: string,
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `insert into deployment_sources (integration_id, environment, repository, workflow, job, set_by)
     values ($1, $2, $3, $4, $5, $6) on conflict do nothing`,
    [integrationId, environment, repository, workflow, job, setBy],
  );
  return rowCount === 1;
}

export function deleteSource(
  tx: Tx,
  integrationId: string,
  sourceId: string,
): Promise<SourceRow | undefined> {
  return tx.row<SourceRow>(
    `delete from deployment_sources where integration_id = $1 and source_id = $2 returning ${columns}`,
    [integrationId, sourceId],
  );
}

/** Serializes changes of the sources of one integration, so that it has at most so many. */
export async function lockSources(tx: Tx, integrationId: string): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('deployment sources ' || $1, 0))`, [
    integrationId,
  ]);
}

export interface EnvironmentRow {
  environment: string;
  deployments: number;
  lastAt: Date;
  isProduction: boolean;
}

/** The environments of the newest deployments, by name. */
export function listEnvironments(tx: Tx, integrationId: string): Promise<EnvironmentRow[]> {
  return tx.rows<EnvironmentRow>({
    name: 'list-environments',
    text: `select environment, count(*)::int as deployments, max(updated_at) as "lastAt",
             coalesce(bool_or(is_production), false) as "isProduction"
           from (select * from deployments where integration_id = $1 order by updated_at desc limit 10000) d
           where environment is not null group by environment order by environment limit 200`,
    values: [integrationId],
  });
}
