import pg from 'pg';
import type { TestDatabase } from './test-database.ts';

type Owner = Pick<TestDatabase, 'asOwner'>;

/** Runs `work` while the trigger is off: its announcements are lost. */
export async function withoutTrigger<Result>(
  { asOwner }: Owner,
  table: string,
  trigger: string,
  work: () => Promise<Result>,
): Promise<Result> {
  await asOwner(`alter table ${table} disable trigger ${trigger}`);
  try {
    return await work();
  } finally {
    await asOwner(`alter table ${table} enable trigger ${trigger}`);
  }
}

/** Runs `work` while a role of the product lacks a privilege on the table, such as `insert`: its statements fail. */
export async function withoutPrivilege<Result>(
  { asOwner }: Owner,
  privilege: 'insert' | 'update',
  table: string,
  work: () => Promise<Result>,
  role: 'api' | 'worker' = 'api',
): Promise<Result> {
  await asOwner(`revoke ${privilege} on ${table} from forgewatch_${role}`);
  try {
    return await work();
  } finally {
    await asOwner(`grant ${privilege} on ${table} to forgewatch_${role}`);
  }
}

/** Ends the connections that listen to the channel, or to any, as a server that stops does. */
export async function cutListeners({ asOwner }: Owner, channel = ''): Promise<void> {
  await asOwner(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and query like 'listen "' || $1 || '%'`,
    [channel],
  );
}

/**
 * Lets the inserts into a table that match the condition wait until the returned function is called, and refuses them then if they
 * are to be refused. Once for each database.
 */
export async function holdInserts(
  t: { after(end: () => Promise<void>): void },
  { asOwner, url }: TestDatabase,
  { table, when, outcome }: { table: string; when: string; outcome: 'stored' | 'refused' },
): Promise<() => Promise<void>> {
  await asOwner(
    `create function hold_insert() returns trigger language plpgsql as $$
     begin
       perform pg_advisory_xact_lock(4711);
       ${outcome === 'stored' ? 'return new' : `raise exception 'refused'`};
     end $$;
     create trigger hold_insert before insert on ${table} for each row when (${when}) execute function hold_insert()`,
  );
  const gate = new pg.Client({ connectionString: url });
  await gate.connect();
  t.after(() => gate.end());
  await gate.query('select pg_advisory_lock(4711)');
  return () => gate.end();
}
