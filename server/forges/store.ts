import type { Tx } from '#platform/database/database.ts';

/** The linked installation that sees the repository and answers calls; undefined when there is none. */
export async function findInstallationOf(
  tx: Tx,
  integrationId: string,
  repository: string,
): Promise<string | undefined> {
  const { rows } = await tx.query<{ installation_id: string }>(
    `select l.installation_id::text from linked_repositories r
       join installation_links l on l.integration_id = r.integration_id and l.installation_id = r.installation_id
       join forge_installations i on i.installation_id = l.installation_id
     where r.integration_id = $1 and r.repository = $2 and not i.is_suspended and not i.is_deleted
     order by l.linked_at limit 1`,
    [integrationId, repository],
  );
  return rows[0]?.installation_id;
}
