import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { test } from 'node:test';
import pg from 'pg';
import { keyIdOf, makeSealer } from '#platform/runtime/secrets/sealing.ts';
import { processName } from '#server/key-rotation/other-processes.ts';
import { sealedColumns } from '#server/key-rotation/sealed-columns.ts';
import { createTestDatabase, testMasterKey } from '#test/support/database/test-database.ts';
import { insertIntegration } from '#test/support/database/insert-integration.ts';
import { deleteRows, readRows } from '#test/support/database/rows.ts';
import { productEnv } from '#test/support/product/product-env.ts';
import { productProgram, runProduct } from '#test/support/product/product-process.ts';
import { makeTemporaryDirectory } from '#test/support/product/temporary-directory.ts';
import { sealEverything } from '#test/support/secrets/seal-everything.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { checkRotation } from './doctor/doctor-keys.ts';

const database = await createTestDatabase();
const newKey = randomBytes(32);
const listed = (...keys: Buffer[]) => keys.map((key) => key.toString('base64')).join(',');
const env = {
  ...productEnv(database.url, await makeTemporaryDirectory()),
  ENCRYPTION_KEY: listed(newKey, testMasterKey),
};
const rotate = () => runProduct(['rotate-key'], env);
const doctor = async (...others: Buffer[]) =>
  (
    await checkRotation(
      { masterKeys: [newKey, ...others], databaseUrl: database.url },
      { encryptionKeys: [], queueUrl: undefined },
    )
  ).map(({ verdict, text }) => `${verdict}: ${text}`);

test('a rotation that is killed goes on where it ended', async (t) => {
  const { integrationId, openAll } = await sealEverything(database, makeSealer([testMasterKey]));
  const keyOf = async (table: string, column: string): Promise<string | undefined> =>
    (await readRows<Record<string, Buffer>>(database, table))[0]?.[column]?.toString('hex', 0, 4);
  assert.match(
    (await doctor(testMasterKey)).join(),
    /^note: sealed with the second key: .*queue_segment.body 1/,
  );

  const holder = new pg.Client(database.url);
  await holder.connect();
  t.after(() => holder.end());
  await holder.query('begin; lock table failure_reasons in share mode');
  const killed = spawn(process.execPath, [productProgram, 'rotate-key'], {
    env: { ...process.env, ...env },
  });
  await waitUntil(
    'the column before the one that is locked',
    async () => (await keyOf('outgoing_webhooks', 'sealed_body')) === keyIdOf(newKey),
  );
  killed.kill('SIGKILL');
  await once(killed, 'exit');
  await holder.query('rollback');
  assert.equal(await keyOf('failure_reasons', 'sealed_excerpt'), keyIdOf(testMasterKey));

  const { code, stdout, stderr } = await rotate();
  assert.equal(code, 0, stderr);
  const columns = sealedColumns.map(({ table }) => table);
  // Two values of large payloads.
  const rest = sealedColumns.length + 1 - columns.indexOf('failure_reasons');
  assert.deepEqual(JSON.parse(stdout), { reEncrypted: rest, unreadable: {}, left: {} });
  assert.match(stderr, /^failure_reasons.sealed_excerpt: 1 of 1$/m);
  assert.doesNotMatch(stderr, /^integrations/m);
  await openAll(makeSealer([newKey]));
  assert.deepEqual(await doctor(testMasterKey), [
    'note: nothing is sealed with the second key: stop all processes, then remove it from ENCRYPTION_KEY.',
  ]);
  await deleteRows(database, 'integrations', { integration_id: integrationId });
});

test('a value whose key is lost is reported with what to do, also by doctor', async () => {
  const integrationId = await insertIntegration(
    database,
    randomUUID(),
    makeSealer([randomBytes(32)]).seal(Buffer.from('secret'), ''),
  );
  const { code, stdout, stderr } = await rotate();
  assert.equal(code, 1);
  assert.deepEqual(JSON.parse(stdout), {
    reEncrypted: 0,
    unreadable: { 'integrations.webhook_secret': 1 },
    left: {},
  });
  assert.match(
    stderr,
    /webhook_secret: 1 cannot be decrypted.*lost: replace the webhook secret in the settings/,
  );
  const findings = await doctor(testMasterKey);
  assert.match(
    findings.join('\n'),
    /^wrong: sealed with a key that is not listed: integrations.webhook_secret 1/m,
  );
  await deleteRows(database, 'integrations', { integration_id: integrationId });
});

test('a rotation is refused while a process seals with another key', async () => {
  const { connection } = database.worker;
  const application_name = processName('forgewatch_worker', keyIdOf(testMasterKey));
  const service = new pg.Client({ ...connection, application_name });
  await service.connect();
  const { code, stdout, stderr } = await rotate();
  await service.end();
  assert.deepEqual([code, stdout], [1, '']);
  assert.match(stderr, /encrypts with another key.*Restart all processes/);
});

test('a new key is only added to the file that is in use', async () => {
  const { code, stderr } = await runProduct(['rotate-key', '--new'], env);
  assert.equal(code, 2);
  assert.match(stderr, /ENCRYPTION_KEY is set/);
});
