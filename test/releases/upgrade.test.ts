import assert from 'node:assert/strict';
import { cp, mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { after, test } from 'node:test';
import pg from 'pg';
import { freePort } from '#platform/runtime/processes/free-port.ts';
import { postEvents } from '#server/simulate/post/post-events.ts';
import { createSimulator } from '#server/simulate/simulator.ts';
import { ruleBody } from '#test/support/alerts/rule-body.ts';
import { startTestPostgres } from '#test/support/database/test-postgres.ts';
import { signInAsOwner, type OwnerClient } from '#test/support/identity/owner-client.ts';
import { loadAnswers, readAnswers, writeAnswers } from '#test/support/product/answers.ts';
import { runBackup } from '#test/support/product/backups.ts';
import { productEnv } from '#test/support/product/product-env.ts';
import { startProduct } from '#test/support/product/product-process.ts';
import { settled } from '#test/support/product/settled.ts';
import { makeTemporaryDirectory } from '#test/support/product/temporary-directory.ts';
import { startTestProgram } from '#test/support/product/test-program.ts';

/**
 * Each folder here is a release: its backup, and what its API answered. `npm run release` makes the folder of the version with this
 * test, which writes what it made to RELEASE_FOLDER.
 */
const releases = (await readdir(import.meta.dirname, { withFileTypes: true }))
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => path.join(import.meta.dirname, name));

const present = await makeTemporaryDirectory();
const postgres = await startTestPostgres();
after(() => postgres.stop());
await dump(present);
const to = process.env['RELEASE_FOLDER'];
if (to !== undefined) {
  await mkdir(to, { recursive: true });
  await cp(present, to, { recursive: true });
}

for (const [name, folder] of [
  ['this version', present],
  ...releases.map((folder) => [path.basename(folder), folder] as const),
] as const)
  test(`a backup of ${name} is upgraded, and the API answers as it did`, async (t) => {
    const before = await loadAnswers(path.join(folder, 'answers.json.gz'));
    const url = await emptyDatabase(`of_${name.replaceAll(/\W/g, '_')}`);
    const port = await freePort();
    const env = {
      ...productEnv(url, await makeTemporaryDirectory()),
      PORT: String(port),
      PUBLIC_URL: `http://localhost:${port}`,
    };
    await runBackup(['restore', path.join(folder, 'backup.age')], env);
    // Without a worker, which would delete what is older than it keeps.
    const api = await startProduct('api', env);
    t.after(() => api.kill());
    const owner = await signInAsOwner(env.PUBLIC_URL);
    const now = await readAnswers(owner, env.PUBLIC_URL, await integrationOf(owner, env.PUBLIC_URL));
    assert.ok(Object.keys(before).length > 15);
    assert.deepEqual(differences(now, before, ''), []);
    await api.stop();
  });

/** Writes a backup of a filled product and its answers. */
async function dump(folder: string): Promise<void> {
  const program = await startTestProgram();
  const { baseUrl, publicUrl, database } = program;
  const owner = await signInAsOwner(publicUrl);
  const { integrationId, webhookSecret: secret } = await program.createIntegration('Release');
  const post = (where: string, body: object) => owner.call('POST', integrationId, where, body);
  for (const answer of [
    await post('/notification-rules', ruleBody()),
    await post('/saved-views', { name: 'Main', filter: { branch: 'main' } }),
    await post('/share-links', { name: 'Office', filter: {} }),
    await post('/webhook-subscriptions', {
      name: 'Hook',
      url: 'https://hooks.example.com/ci',
      eventTypes: ['run.completed'],
    }),
  ])
    assert.ok(answer.status < 300, await answer.text());
  // Long ago, so that no answer depends on the time at which it is asked for.
  const simulator = createSimulator({ seed: 'release', startAt: new Date('2025-01-06T08:00:00Z') });
  const events = simulator.stream({ rate: 0.1 }).take(150);
  await postEvents({ baseUrl, integrationId, secret, events, concurrency: 1 });
  await settled(database, owner.read, integrationId);
  const answers = await readAnswers(owner, publicUrl, integrationId);
  await writeAnswers(path.join(folder, 'answers.json.gz'), answers);
  const env = productEnv(database.url, await makeTemporaryDirectory());
  await runBackup(['backup', path.join(folder, 'backup.age')], env);
  await program.program.stop();
}

async function emptyDatabase(name: string): Promise<string> {
  const client = new pg.Client(postgres.url);
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  const url = new URL(postgres.url);
  url.pathname = `/${name}`;
  return url.href;
}

async function integrationOf({ browser }: OwnerClient, publicUrl: string): Promise<string> {
  const answer = await browser.fetch(`${publicUrl}/api/integrations`);
  const { items } = (await answer.json()) as { items: { integrationId: string }[] };
  return items[0]?.integrationId ?? assert.fail('no integration');
}

/** A later version may add fields, and changes none. Positions in the stream of updates begin again after a restore. */
function differences(now: unknown, before: unknown, where: string): string[] {
  if (where.endsWith('.stream')) return [];
  if (Array.isArray(before)) {
    if (!Array.isArray(now) || now.length !== before.length) return [`${where}: ${before.length} items`];
    return before.flatMap((item, index) => differences(now[index], item, `${where}[${index}]`));
  }
  if (typeof before !== 'object' || before === null)
    return now === before ? [] : [`${where}: ${String(now)}, before ${String(before)}`];
  if (typeof now !== 'object' || now === null) return [`${where}: is missing`];
  return Object.entries(before).flatMap(([field, value]) =>
    differences((now as Record<string, unknown>)[field], value, `${where}.${field}`),
  );
}
