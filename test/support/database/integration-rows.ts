import type { TestDatabase } from './test-database.ts';

/**
 * A digest of what each table holds of the integration, to see that nothing changed. What counts towards quotas is saved up to a second
 * after the request, so it is left out.
 */
export async function integrationRows(
  database: TestDatabase,
  integrationId: string,
): Promise<Record<string, string>> {
  const tables = await database.asOwner<{ name: string; key: string }>(
    `select c.oid::regclass::text as name, a.attname as key from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and not a.attisdropped
       and a.attname in ('integration_id', 'group_id') and c.relname not in ('ws_connection', 'integration_usage') order by 1`,
  );
  const [row] = await database.asOwner<{ digests: Record<string, string> }>(
    `select jsonb_object_agg(name, digest) as digests from (${tables
      .map(
        ({ name, key }) =>
          `select '${name}' as name, md5(string_agg(t::text, '' order by t::text)) as digest
           from ${name} t where t.${key}::text = $1`,
      )
      .join(' union all ')}) as each_table where digest is not null`,
    [integrationId],
  );
  return row?.digests ?? {};
}
