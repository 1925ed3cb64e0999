import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { after, test } from 'node:test';
import pg from 'pg';
import { freePort } from '#platform/runtime/processes/free-port.ts';
import type { CreatedIntegration } from '#server/integrations/create-integration.ts';
import { runPayload } from '#test/support/data/forge-events.ts';
import { startTestPostgres } from '#test/support/database/test-postgres.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { runBackup } from '#test/support/product/backups.ts';
import { productEnv } from '#test/support/product/product-env.ts';
import { startProduct } from '#test/support/product/product-process.ts';
import { runCommand } from '#test/support/product/run-command.ts';
import { makeTemporaryDirectory } from '#test/support/product/temporary-directory.ts';
import { addWeek } from '#test/support/queue/old-weeks.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const directory = await makeTemporaryDirectory();
const postgres = await startTestPostgres();
after(() => postgres.stop());

async function query<Row extends pg.QueryResultRow>(
  url: string,
  text: string,
  values?: unknown[],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(text, values)).rows;
  } finally {
    await client.end();
  }
}

/** A database whose owner is not a superuser, as hosted ones are. */
async function ownDatabase(name: string): Promise<{ url: string; superuserUrl: string }> {
  await query(postgres.url, `create database ${name} owner tenant`);
  const at = new URL(postgres.url);
  at.pathname = `/${name}`;
  const superuserUrl = at.href;
  at.username = 'tenant';
  at.password = 'secret';
  return { url: at.href, superuserUrl };
}

await query(postgres.url, `create role tenant login createrole password 'secret'`);

test('a message that waits in the queue is processed where the backup is restored, weeks later', async (t) => {
  const [source, target] = [await ownDatabase('source'), await ownDatabase('target')];
  const env = { ...productEnv(source.url, directory), PORT: String(await freePort()) };
  const api = await startProduct('api', env);
  t.after(() => api.kill());
  const created = await runCommand(['integration', 'create', '--label', 'Team'], env);
  const integration = JSON.parse(created.stdout) as CreatedIntegration;
  const payload = runPayload({ id: 77 });
  const answer = await postWebhook(`http://localhost:${env.PORT}`, integration, {
    event: 'workflow_run',
    payload,
  });
  assert.equal(answer.status, 200);
  const asOwner = <Row extends pg.QueryResultRow>(text: string, values?: unknown[]) =>
    query<Row>(source.superuserUrl, text, values);
  await addWeek({ asOwner }, 30);
  await asOwner(`update queue_message set accepted_at = accepted_at - interval '30 days'`);
  await asOwner(`update queue_segment set accepted_at = accepted_at - interval '30 days'`);
  // As if the worker had been killed in the middle of its work.
  await asOwner(
    `update queue_group set head_at = head_at - interval '30 days', ready_at = null, lease = gen_random_uuid(), leased_at = now(),
       lease_until = now() + interval '1 hour', lease_hi = (select max(seq) from queue_message)`,
  );
  const [position] = await asOwner<{ last: string }>('select last_value as last from queue_seq');
  // Functions of the service run as the owner. The right to make backups shows it no rows.
  assert.deepEqual(await query(source.url, 'select from memberships'), []);
  const file = path.join(directory, 'own.age');
  await runBackup(['backup', file], env);
  assert.equal((await query(source.superuserUrl, 'select from last_backup')).length, 1);
  await api.stop();

  const elsewhere = {
    ...env,
    DATABASE_URL: target.url,
    DATA_DIR: await makeTemporaryDirectory(),
    ENCRYPTION_KEY: '',
  };
  const keyFile = path.join(directory, 'restored.key');
  await runBackup(['restore', file, '--key-file', keyFile], elsewhere);
  assert.equal((await stat(keyFile)).mode & 0o777, 0o600);
  const ENCRYPTION_KEY = (await readFile(keyFile, 'utf8')).trim();
  assert.equal(ENCRYPTION_KEY, env.ENCRYPTION_KEY);
  const [restored] = await query<{ last: string }>(
    target.superuserUrl,
    'select last_value as last from queue_seq',
  );
  assert.equal(restored?.last, position?.last);
  const serve = await startProduct('serve', { ...elsewhere, ENCRYPTION_KEY });
  t.after(() => serve.kill());
  const isStored = async () => {
    const rows = await query(target.superuserUrl, 'select from workflow_runs where run_id = 77');
    return rows.length === 1;
  };
  await waitUntil('the message to be processed', isStored);
  const doctor = await runCommand(['doctor'], { ...elsewhere, ENCRYPTION_KEY });
  for (const check of ['roles', 'row-level security', 'encryption key'])
    assert.match(doctor.stderr, new RegExp(`^ok +${check} `, 'm'));
  assert.match(
    doctor.stderr,
    /^note +backup +forgewatch backup can read all \d+ tables; there is none yet$/m,
  );
  await serve.stop();
});

test('a backup by an owner that may not read all rows says what to grant', async () => {
  const { url, superuserUrl } = await ownDatabase('foreign_role');
  const env = productEnv(url, directory);
  assert.equal((await runCommand(['migrate'], env)).code, 0);
  const admin = (text: string) => query(superuserUrl, text);
  await admin('revoke forgewatch_backup from tenant granted by tenant');
  const { code, stderr } = await runCommand(['backup', path.join(directory, 'refused.age')], {
    ...env,
    BACKUP_PASSPHRASE: 'correct horse battery staple',
  });
  assert.equal(code, 1);
  const advice = /permission denied.* grant forgewatch_backup to tenant with inherit false, set true/;
  assert.match(stderr, advice);
  const doctor = await runCommand(['doctor', '--json'], env);
  const findings = JSON.parse(doctor.stdout) as { check: string; verdict: string; text: string }[];
  const found = findings.find(({ check }) => check === 'backup');
  assert.ok(found?.verdict === 'wrong' && advice.test(found.text), doctor.stderr);
});
