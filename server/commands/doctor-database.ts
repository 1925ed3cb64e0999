import type pg from 'pg';
import { serviceRoles } from '#platform/database/migrate.ts';
import type { Finding } from './doctor.ts';

const oldestVersion = 150_000;

export async function checkVersion(client: pg.Client): Promise<Finding> {
  const { rows } = await client.query<{ number: string; name: string }>(
    `select current_setting('server_version_num') as number, current_setting('server_version') as name`,
  );
  const version = rows[0];
  return Number(version?.number) >= oldestVersion
    ? { check: 'database', verdict: 'ok', text: `Postgres ${version?.name}, migrated` }
    : {
        check: 'database',
        verdict: 'wrong',
        text: `Postgres ${version?.name} is too old: 15 or newer is needed.`,
      };
}

export async function checkRoles(client: pg.Client): Promise<Finding> {
  const { rows } = await client.query<{ rolname: string }>(
    `select rolname from pg_roles r
     where rolname = any ($1) and not rolsuper and not rolbypassrls and rolcanlogin
       and not exists (select from pg_auth_members m where m.member = r.oid)
       and not exists (select from pg_class c where c.relowner = r.oid)`,
    [serviceRoles],
  );
  const restricted = rows.map((row) => row.rolname);
  const wrong = serviceRoles.filter((role) => !restricted.includes(role));
  return wrong.length === 0
    ? { check: 'roles', verdict: 'ok', text: `${serviceRoles.join(' and ')} are restricted` }
    : {
        check: 'roles',
        verdict: 'wrong',
        text: `${wrong.join(' and ')} must exist, log in, and be neither superuser, owner nor member of another role.`,
      };
}

export async function checkRowLevelSecurity(client: pg.Client): Promise<Finding> {
  const { rows } = await client.query<{ name: string }>(
    `select c.oid::regclass::text as name
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'integration_id' and not a.attisdropped
     where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace
       and not (c.relrowsecurity and c.relforcerowsecurity and exists (select from pg_policy p where p.polrelid = c.oid))`,
  );
  return rows.length === 0
    ? {
        check: 'row-level security',
        verdict: 'ok',
        text: 'forced on every table that belongs to an integration',
      }
    : {
        check: 'row-level security',
        verdict: 'wrong',
        text: `not forced on ${rows.map((row) => row.name).join(', ')}: run forgewatch migrate.`,
      };
}

const mostTables = 8;

/** The largest tables with their indexes; partitions count for their table. */
export async function reportSizes(client: pg.Client): Promise<Finding> {
  const { rows } = await client.query<{ name: string; size: string; total: string }>(
    `select name, pg_size_pretty(sum(bytes)) as size, pg_size_pretty(sum(sum(bytes)) over ()) as total
     from (
       select coalesce(i.inhparent, c.oid)::regclass::text as name, pg_total_relation_size(c.oid) as bytes
       from pg_class c left join pg_inherits i on i.inhrelid = c.oid
       where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace) t
     group by name order by sum(bytes) desc limit ${mostTables}`,
  );
  const tables = rows.map(({ name, size }) => `${name} ${size}`).join(', ');
  return { check: 'table sizes', verdict: 'ok', text: `${rows[0]?.total ?? '0'}: ${tables}` };
}

/** Tokens, leases and retention compare times of both clocks. */
const mostSkewMs = 5000;

export async function checkClock(client: pg.Client): Promise<Finding> {
  const before = Date.now();
  const { rows } = await client.query<{ now: Date }>('select clock_timestamp() as now');
  const middle = (before + Date.now()) / 2;
  const skewMs = Math.round(Math.abs((rows[0]?.now.getTime() ?? 0) - middle));
  return skewMs <= mostSkewMs
    ? { check: 'clock', verdict: 'ok', text: `${skewMs} ms from the database's` }
    : { check: 'clock', verdict: 'wrong', text: `${skewMs} ms from the database's: set both by NTP.` };
}
