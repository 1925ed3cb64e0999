import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestDatabase } from '#test/support/database/test-database.ts';

const database = await createTestDatabase();

test('every table with an integration_id has row-level security enabled, forced and a policy', async () => {
  const unprotected = await database.asOwner<{ name: string }>(`
    select c.oid::regclass::text as name
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace and n.nspname not in ('pg_catalog', 'information_schema')
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'integration_id' and not a.attisdropped
    where c.relkind in ('r', 'p')
      and not (c.relrowsecurity and c.relforcerowsecurity and exists (select from pg_policy p where p.polrelid = c.oid))`);
  assert.deepEqual(unprotected, []);
});

test('the service roles neither bypass row-level security nor own anything', async () => {
  const roles = await database.asOwner(`
    select rolname, rolsuper, rolbypassrls, rolcreaterole, rolcreatedb,
           (select count(*)::int from pg_class where relowner = r.oid) as owned,
           (select count(*)::int from pg_auth_members m where m.member = r.oid) as memberships
    from pg_roles r where rolname like 'forgewatch\\_%' order by 1`);
  const harmless = {
    rolsuper: false,
    rolbypassrls: false,
    rolcreaterole: false,
    rolcreatedb: false,
    owned: 0,
    memberships: 0,
  };
  assert.deepEqual(roles, [
    { rolname: 'forgewatch_api', ...harmless },
    { rolname: 'forgewatch_backup', ...harmless },
    { rolname: 'forgewatch_worker', ...harmless },
  ]);
});

test('no routine can be executed by everybody', async () => {
  const open = await database.asOwner<{ name: string }>(`
    select oid::regprocedure::text as name from pg_proc
    where pronamespace = 'public'::regnamespace
      and exists (select from aclexplode(coalesce(proacl, acldefault('f', proowner))) where grantee = 0)`);
  assert.deepEqual(open, []);
});
