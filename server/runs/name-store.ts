import type { Tx } from '#platform/database/database.ts';

interface StoredName {
  /** The name that was asked for. */
  name: string;
  /** What stands for the repository or workflow in every table. */
  stored: string;
}

/** The repositories that have one of the names now or had it first. */
export function findRepositories(
  tx: Tx,
  integrationId: string,
  names: readonly string[],
): Promise<StoredName[]> {
  return tx.rows<StoredName>({
    name: 'find-repositories-by-name',
    text: `select n.name, r.repository as stored from unnest($2::text[]) n (name)
           join repositories r on r.integration_id = $1 and (r.repository = n.name or r.full_name = n.name)`,
    values: [integrationId, names],
  });
}

/** The workflows that have one of the names now or had it first; `repositories` are stored names, null for all. */
export function findWorkflows(
  tx: Tx,
  integrationId: string,
  names: readonly string[],
  repositories: readonly string[] | null,
): Promise<StoredName[]> {
  return tx.rows<StoredName>({
    name: 'find-workflows-by-name',
    text: `select distinct n.name, w.workflow as stored from workflows w
           join unnest($2::text[]) n (name) on w.workflow = n.name or w.name = n.name
           where w.integration_id = $1 and ($3::text[] is null or w.repository = any ($3))`,
    values: [integrationId, names, repositories],
  });
}
