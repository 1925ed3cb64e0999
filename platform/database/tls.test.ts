import assert from 'node:assert/strict';
import { chown, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { after, test } from 'node:test';
import pg from 'pg';
import { testCertificate } from '#test/support/network/test-certificate.ts';
import { makeEnterableDirectory } from '#test/support/product/enterable-directory.ts';
import { outageCause } from './database-error.ts';
import { findPostgresPrograms } from './embedded/embedded-binaries.ts';
import { startEmbeddedPostgres } from './embedded/embedded-postgres.ts';

// The certificate is not trusted here, as one that a company signs itself.
setDefaultCACertificates(getCACertificates('bundled'));
const { directory, remove } = await makeEnterableDirectory('tls');
const at = (name: string) => path.join(directory, name);
await writeFile(at('cert.pem'), testCertificate.cert);
await writeFile(at('key.pem'), testCertificate.key, { mode: 0o600 });
const { account } = await findPostgresPrograms();
if (account !== undefined) await chown(at('key.pem'), account.uid, account.gid);
const postgres = await startEmbeddedPostgres({
  directory: at('cluster'),
  settings: ['ssl=on', `ssl_cert_file=${at('cert.pem')}`, `ssl_key_file=${at('key.pem')}`],
});
after(async () => {
  await postgres.stop();
  await remove();
});

async function isEncrypted(query: string): Promise<boolean | undefined> {
  const client = new pg.Client({ connectionString: `${postgres.url}?${query}` });
  await client.connect();
  const { rows } = await client.query<{ ssl: boolean }>(
    'select ssl from pg_stat_ssl where pid = pg_backend_pid()',
  );
  await client.end();
  return rows[0]?.ssl;
}

test('DATABASE_URL encrypts the connection with the settings of the guide', async () => {
  assert.equal(await isEncrypted(`sslmode=verify-full&sslrootcert=${at('cert.pem')}`), true);
  assert.equal(await isEncrypted('sslmode=no-verify'), true);
  assert.equal(await isEncrypted(''), false);
});

for (const mode of ['verify-full', 'require'])
  test(`sslmode=${mode} refuses a certificate that is not trusted, and the cause is named`, async () => {
    const error = await isEncrypted(`sslmode=${mode}`).catch((failure: unknown) => failure);
    assert.match(outageCause(error) ?? '', /^its certificate is not trusted \(\w+\)$/);
  });
