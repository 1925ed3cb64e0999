import type pg from 'pg';
import { visibleText } from '#contract/base/plain-text.ts';
import { serviceRoles } from '#platform/database/roles/role-connection.ts';
import type { Config } from '#platform/runtime/settings/config.ts';
import type { Sealer } from '#platform/runtime/secrets/sealing.ts';
import { openSnapshot } from '#server/backup/write-backup.ts';
import { secretContext } from '#server/integrations/secrets/webhook-secret.ts';
import type { Finding } from './finding.ts';

const oldestVersion = 150_000;

export async function checkVersion(
  client: pg.Client,
  { databaseUrl }: Pick<Config, 'databaseUrl'>,
): Promise<Finding> {
  const { rows } = await client.query<{
    number: string;
    name: string;
    directory: string | null;
    hasIcu: boolean;
  }>(
    `select current_setting('server_version_num') as number, current_setting('server_version') as name,
       (select setting from pg_settings where name = 'data_directory') as directory,
       exists (select from pg_collation where collname = 'und-x-icu') as "hasIcu"`,
  );
  const version = rows[0];
  const check = 'database';
  if (Number(version?.number) < oldestVersion)
    return { check, verdict: 'wrong', text: `Postgres ${version?.name} is too old: 15 or newer is needed.` };
  // The search in titles of runs compares with it.
  if (version?.hasIcu === false)
    return {
      check,
      verdict: 'wrong',
      text: `Postgres ${version.name} has no collation "und-x-icu": install a Postgres that is built with ICU.`,
    };
  // The embedded database may be outside DATA_DIR. The directory of an external one is not relevant.
  const place = databaseUrl === undefined ? `, in ${version?.directory}` : '';
  return { check, verdict: 'ok', text: `Postgres ${version?.name}, migrated${place}` };
}

/** Too few connections on the server would fail only under load. */
export async function checkConnections(
  client: pg.Client,
  { databasePoolMax, databaseDirectUrl }: Pick<Config, 'databasePoolMax' | 'databaseDirectUrl'>,
): Promise<Finding> {
  const { rows } = await client.query<{ most: number }>(
    `select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
       - coalesce(current_setting('reserved_connections', true)::int, 0) as most`,
  );
  const most = rows[0]?.most ?? 0;
  const check = 'connections';
  // The LISTEN connection. PgBouncer limits the others.
  if (databaseDirectUrl !== undefined)
    return { check, verdict: 'ok', text: `a process keeps 1 of ${most} connections beside the pooler` };
  // One pool per role, and one LISTEN connection.
  const mayOpen = 2 * databasePoolMax + 1;
  return mayOpen <= most
    ? { check, verdict: 'ok', text: `a process opens up to ${mayOpen} of ${most} connections` }
    : {
        check,
        verdict: 'wrong',
        text: `a process opens up to ${mayOpen} connections, but the database allows ${most}: lower DATABASE_POOL_MAX, or raise max_connections.`,
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
        text: 'forced on all tables of integrations',
      }
    : {
        check: 'row-level security',
        verdict: 'wrong',
        text: `not forced on ${rows.map((row) => row.name).join(', ')}. For each, as the owner: alter table … enable row level security, force row level security; or call protect_by_integration('…') where its policy is gone too.`,
      };
}

/** Webhook secrets are sealed. If a secret does not open, the webhooks of its integration are refused. */
export async function checkKeys(client: pg.Client, sealer: Pick<Sealer, 'open'>): Promise<Finding> {
  const { closed, all } = await countClosed(client, sealer);
  const check = 'encryption key';
  return closed === 0
    ? { check, verdict: 'ok', text: `opens all webhook secrets (${all})` }
    : {
        check,
        verdict: 'wrong',
        text: `${closed} of ${all} webhook secrets cannot be decrypted, and their webhooks are refused: add their key to ENCRYPTION_KEY. If the key is lost, rotate the secrets.`,
      };
}

/** A backup that is refused would be noticed only when it is needed. */
export async function checkBackup(client: pg.Client): Promise<Finding> {
  const tables = await openSnapshot(client).finally(() => client.query('rollback'));
  const { rows } = await client.query<{ time: string; isOld: boolean }>(
    `select to_char(finished_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI "UTC"') as time,
       finished_at < now() - interval '2 days' as "isOld" from last_backup`,
  );
  const newest = rows[0] === undefined ? 'there is none yet' : `the newest is of ${rows[0].time}`;
  return {
    check: 'backup',
    verdict: rows[0]?.isOld === false ? 'ok' : 'note',
    text: `forgewatch backup can read all ${tables.length} tables; ${newest}`,
  };
}

/** How many webhook secrets there are, and how many of them the keys do not open. */
export async function countClosed(
  client: pg.Client,
  sealer: Pick<Sealer, 'open'>,
): Promise<{ closed: number; all: number }> {
  const { rows } = await client.query<{ id: string; sealed: Buffer }>(
    'select integration_id as id, webhook_secret as sealed from integrations',
  );
  const closed = rows.filter(({ id, sealed }) => !opens(() => sealer.open(sealed, secretContext(id))));
  return { closed: closed.length, all: rows.length };
}

function opens(open: () => unknown): boolean {
  try {
    open();
    return true;
  } catch {
    return false;
  }
}

const mostTables = 8;

/** The largest tables including indexes. Partitions count as part of their table. */
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

/** Tokens, leases and retention compare times of this machine and the database. */
const mostSkewMs = 5000;

export async function checkClock(client: pg.Client): Promise<Finding> {
  const before = Date.now();
  const { rows } = await client.query<{ now: Date }>('select clock_timestamp() as now');
  const middle = (before + Date.now()) / 2;
  const skewMs = Math.round(Math.abs((rows[0]?.now.getTime() ?? 0) - middle));
  return skewMs <= mostSkewMs
    ? { check: 'clock', verdict: 'ok', text: `differs by ${skewMs} ms from the database` }
    : {
        check: 'clock',
        verdict: 'wrong',
        text: `differs by ${skewMs} ms from the database: synchronize both with NTP.`,
      };
}

/** A task that is due gets a place within seconds unless workers are missing or overloaded. */
const longestWaitMinutes = 10;
/** Fewer failures in a row are usual, such as a forge or receiver that restarts. */
const repeatedFailures = 5;

interface TaskTrouble {
  kind: string;
  waiting: number;
  waitMinutes: number;
  failing: number;
  failures: number;
  failingMinutes: number;
  /** Of the task that failed first most recently. */
  cause: string | null;
  integrationId: string | null;
}

/** Background tasks of all integrations, by kind. */
export async function checkTasks(client: pg.Client): Promise<Finding[]> {
  const { rows } = await client.query<TaskTrouble>(
    `select t.kind, count(*) filter (where s.state = 'waiting')::int as waiting,
       coalesce(floor(extract(epoch from now() - min(t.due_at) filter (where s.state = 'waiting')) / 60), 0)::int as "waitMinutes",
       count(*) filter (where t.failures > 0)::int as failing, max(t.failures) as failures,
       coalesce(floor(extract(epoch from now() - min(t.failing_since)) / 60), 0)::int as "failingMinutes",
       (array_agg(t.error order by t.failing_since desc nulls last) filter (where t.failures > 0))[1] as cause,
       (array_agg(t.integration_id order by t.failing_since desc nulls last) filter (where t.failures > 0))[1] as "integrationId"
     from tasks t cross join lateral (select task_state(t) as state) s
     where s.state is not null group by t.kind
     having bool_or(s.state = 'waiting') or max(t.failures) > 0 order by t.kind`,
  );
  if (rows.length === 0) return [{ check: 'background work', verdict: 'ok', text: 'nothing waits or fails' }];
  return rows.map(taskFinding);
}

function taskFinding(trouble: TaskTrouble): Finding {
  const { kind, waiting, waitMinutes, failing, failures, failingMinutes } = trouble;
  const isLate = waitMinutes >= longestWaitMinutes;
  const isRepeated = failures >= repeatedFailures;
  const parts = [
    ...(waiting === 0 ? [] : [`${waiting} waiting, the oldest for ${waitMinutes} min`]),
    ...(isLate ? ['check that a worker runs and has a free CPU'] : []),
    ...(failing === 0
      ? []
      : [
          `${failing} failing, for up to ${failingMinutes} min and ${failures} attempts`,
          `newest cause, in the integration ${trouble.integrationId}: ${visibleText(trouble.cause ?? 'unknown')}`,
        ]),
    ...(isRepeated ? ['its admins see and retry it under Settings, Background work'] : []),
  ];
  const text = `${kind}: ${parts.map((part) => part.replace(/\.$/, '')).join('; ')}.`;
  return { check: 'background work', verdict: isLate || isRepeated ? 'wrong' : 'ok', text };
}
