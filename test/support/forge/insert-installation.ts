import type { TestDatabase } from '#test/support/database/test-database.ts';

/** An installation of the forge application, linked to the integrations. Its members are read when `isDue`. */
export async function insertInstallation(
  { asOwner }: TestDatabase,
  installationId: number,
  integrationIds: readonly string[] = [],
  { isDue = false } = {},
): Promise<void> {
  await asOwner(
    `insert into forge_installations (installation_id, account_id, account_login, account_type, as_of, sync_due_at)
     values ($1, 1, 'acme', 'Organization', now(), case when $2 then now() end) on conflict do nothing`,
    [installationId, isDue],
  );
  await asOwner(
    `insert into installation_links (integration_id, installation_id)
     select id, $1 from unnest($2::uuid[]) id on conflict do nothing`,
    [installationId, integrationIds],
  );
}
