import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { createTestDatabase, testMasterKey } from '#test/support/database/test-database.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { openDatabase } from './database.ts';
import { roleConnection } from './roles/role-connection.ts';
import type { RowScope } from './scope.ts';

const database = await createTestDatabase();
const tenants = await Promise.all([makeTenant('a'), makeTenant('b')]);

const oneConnection = openDatabase({
  connection: roleConnection(database.url, 'forgewatch_api', testMasterKey),
  maxConnections: 1,
  onIdleError: () => {},
});
after(() => oneConnection.close());

async function makeTenant(label: string): Promise<string> {
  const rows = await database.asOwner<{ integration_id: string }>(
    `insert into integrations (label, webhook_secret) values ($1, '') returning integration_id`,
    [label],
  );
  return rows[0]?.integration_id ?? '';
}

async function labelsSeen(scope: RowScope): Promise<string[]> {
  return database.api.withScope(scope, async (tx) => {
    const { rows } = await tx.query<{ label: string }>('select label from integrations order by label');
    return rows.map(({ label }) => label);
  });
}

test('no row of any integration is visible without a scope', async () => {
  assert.deepEqual(await labelsSeen('service'), []);
  assert.deepEqual(await labelsSeen({ userId: randomUUID() }), []);
});

test('a scope shows exactly its integrations', async () => {
  const [a, b] = tenants as [string, string];
  assert.deepEqual(await labelsSeen({ integrationId: a }), ['a']);
  assert.deepEqual(await labelsSeen({ integrationIds: [a, b] }), ['a', 'b']);
  assert.deepEqual(await labelsSeen({ integrationIds: [] }), []);
});

test('queries that look for a row share a statement, and each gets its own answer', async () => {
  const look = (...queries: string[]) => Promise.all(queries.map((query) => database.api.hasRow(query)));
  const [none, one, fails] = ['select where false', 'select', 'select from no_table'] as const;
  assert.deepEqual(await look(none, one, one), [false, true, true]);
  const answers = await Promise.allSettled([look(one), look(fails)]);
  assert.deepEqual(
    answers.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  assert.deepEqual(await look(one, none), [true, false]);
});

test('a transaction that plans once plans a statement for lists of any length', async () => {
  const text = 'select label from integrations where integration_id in (select unnest($1::uuid[]))';
  const planned = (name: string, plansOnce: boolean) =>
    oneConnection.withScope(
      { integrationIds: tenants },
      async (tx) => {
        for (let call = 0; call < 10; call += 1)
          assert.equal((await tx.rows({ name, text, values: [tenants.slice(0, 1)] })).length, 1);
        const counts = 'select generic_plans, custom_plans from pg_prepared_statements where name = $1';
        return tx.row<{ generic_plans: string; custom_plans: string }>(counts, [name]);
      },
      { plansOnce },
    );
  assert.deepEqual(await planned('once', true), { generic_plans: '10', custom_plans: '0' });
  assert.notDeepEqual((await planned('each time', false))?.custom_plans, '0');
});

test('a row of another integration cannot be inserted or changed', async () => {
  const [a, b] = tenants as [string, string];
  const write = (text: string) => database.api.withScope({ integrationId: a }, (tx) => tx.query(text, [b]));
  await assert.rejects(
    write(`insert into integrations (integration_id, label, webhook_secret) values ($1, 'x', '')`),
    /duplicate key|row-level security/,
  );
  assert.equal(
    (await write(`update integrations set label = 'taken' where integration_id = $1`)).rowCount,
    0,
  );
  assert.equal((await write('delete from integrations where integration_id = $1')).rowCount, 0);
});

test('a thousand interleaved tenants on two connections never see a foreign row', async () => {
  const db = openDatabase({
    connection: roleConnection(database.url, 'forgewatch_api', testMasterKey),
    maxConnections: 2,
    onIdleError: () => {},
  });
  try {
    let left = 1000;
    // Twenty at a time, so that on a busy machine none waits too long for a connection.
    const lane = async (): Promise<void> => {
      while (left > 0) {
        const index = (left -= 1);
        const integrationId = tenants[index % 2] as string;
        const scope: RowScope = index % 3 === 0 ? 'service' : { integrationId };
        const seen = await db.withScope(scope, async (tx) => {
          const { rows } = await tx.query<{ integration_id: string }>(
            'select integration_id from integrations',
          );
          return rows.map((row) => row.integration_id);
        });
        assert.deepEqual(seen, scope === 'service' ? [] : [integrationId]);
      }
    };
    await Promise.all(Array.from({ length: 20 }, lane));
  } finally {
    await db.close();
  }
});

test('a scope that is not a UUID never reaches the database', async () => {
  await assert.rejects(labelsSeen({ integrationId: "x'; drop table users; --" }), /UUIDs only/);
  await assert.rejects(labelsSeen({ integrationIds: ['}'] }), /UUIDs only/);
});

test('a transaction with an unawaited failed statement rejects with that failure', async () => {
  const [a] = tenants as [string, string];
  const work = database.api.withScope({ integrationId: a }, async (tx) => {
    await tx.query('select 1 / 0').catch(() => {});
  });
  await assert.rejects(work, /division by zero/);
});

test('a failed statement that is not awaited fails the commit', async () => {
  const work = database.api.withScope('service', async (tx) => void tx.query('select 1 / 0'));
  await assert.rejects(work, /division by zero/);
});

test('a failure rolled back to a savepoint does not hide a later one', async () => {
  const work = database.api.withScope('service', async (tx) => {
    await tx.query('savepoint one');
    await tx.query('select 1 / 0').catch(() => {});
    await tx.query('rollback to savepoint one');
    throw new Error('something else');
  });
  await assert.rejects(work, /something else/);
});

test('a connection that Postgres ends while the pool closes is not reported as broken', async () => {
  const broken: string[] = [];
  const db = openDatabase({
    connection: roleConnection(database.url, 'forgewatch_api', testMasterKey),
    maxConnections: 1,
    onIdleError: ({ message }) => void broken.push(message),
  });
  const idle = async (): Promise<number> => {
    const { rows } = await db.statement<{ pid: number }>({ text: 'select pg_backend_pid() as pid' });
    return rows[0]!.pid;
  };
  /** As a server that stops does; one that is held by a signal reads nothing before it ends. */
  const end = async (pid: number, meanwhile: () => Promise<void>): Promise<void> => {
    process.kill(pid, 'SIGSTOP');
    await meanwhile();
    await database.asOwner('select pg_terminate_backend($1)', [pid]);
    process.kill(pid, 'SIGCONT');
    const isThere = () => database.asOwner('select from pg_stat_activity where pid = $1', [pid]);
    await waitUntil('it to be gone', async () => (await isThere()).length === 0);
  };
  await end(await idle(), async () => {});
  await waitUntil('the report of the break', () => broken.length > 0);
  assert.deepEqual(broken.splice(0), ['terminating connection due to administrator command']);
  await end(await idle(), () => db.close());
  assert.deepEqual(broken, []);
});
