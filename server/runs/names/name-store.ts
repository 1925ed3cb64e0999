import type { Tx } from '#platform/database/database.ts';

export interface StoredName {
  /** The name that was asked for. */
  name: string;
  /** What stands for the repository or workflow in every table. */
  stored: string;
  /** 0 for what is shown under the name, 1 for what had it first, 2 for what had it in between. */
  rank: number;
}

const ranked = (row: string, stored: string): string =>
  `case n.name when ${row}.shown_name then 0 when ${row}.${stored} then 1 else 2 end as rank`;

/** The repositories that have or had one of the names. */
export function findRepositories(
  tx: Tx,
  integrationId: string,
  names: readonly string[],
): Promise<StoredName[]> {
  return tx.rows<StoredName>({
    name: 'find-repositories-by-name',
    text: `select n.name, r.repository as stored, ${ranked('r', 'repository')} from unnest($2::text[]) n (name)
           join repositories r on r.integration_id = $1
             and (r.repository = n.name or r.shown_name = n.name or n.name = any (r.earlier_names))`,
    values: [integrationId, names],
  });
}

/** The workflows that have or had one of the names; `repositories` are stored names, null for all. */
export function findWorkflows(
  tx: Tx,
  integrationId: string,
  names: readonly string[],
  repositories: readonly string[] | null,
): Promise<(StoredName & { repository: string })[]> {
  return tx.rows<StoredName & { repository: string }>({
    name: 'find-workflows-by-name',
    text: `select n.name, w.repository, w.workflow as stored, ${ranked('w', 'workflow')} from workflows w
           join unnest($2::text[]) n (name)
             on w.workflow = n.name or w.shown_name = n.name or n.name = any (w.earlier_names)
           where w.integration_id = $1 and ($3::text[] is null or w.repository = any ($3))`,
    values: [integrationId, names, repositories],
  });
}

/** A repository, or a workflow, that is shown under another name than the stored one. */
export interface RenamedRow {
  integrationId: string;
  repository: string;
  /** Null for a repository. */
  workflow: string | null;
  shown: string;
  earlier: string[];
}

/** Of each kind. More of them are shown under their first names. */
const mostRenamed = 5_000;

export function listRenamed(tx: Tx, integrationIds: readonly string[]): Promise<RenamedRow[]> {
  const newest = `order by named_at desc limit ${mostRenamed}`;
  return tx.rows<RenamedRow>({
    name: 'list-renamed',
    text: `(select integration_id as "integrationId", repository, null as workflow, shown_name as shown, earlier_names as earlier
            from repositories where integration_id = any ($1::uuid[]) and shown_name <> repository ${newest})
           union all
           (select integration_id, repository, workflow, shown_name, earlier_names
            from workflows where integration_id = any ($1::uuid[]) and shown_name <> workflow ${newest})`,
    values: [integrationIds],
  });
}

/** SQL: what is shown for the repository of the row of a run, and for its workflow. */
export const shownRepository = (run: string): string => `coalesce((
  select p.shown_name from repositories p where p.integration_id = ${run}.integration_id and p.repository = ${run}.repository),
  ${run}.repository)`;
export const shownWorkflow = (run: string): string => `coalesce((
  select k.shown_name from workflows k where k.integration_id = ${run}.integration_id and k.repository = ${run}.repository
    and k.workflow = ${run}.workflow_name), ${run}.workflow_name)`;
