import assert from 'node:assert/strict';
import { chmod, readdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { freePort } from '#platform/runtime/processes/free-port.ts';
import { fastestParent, makeEnterableDirectory } from '#test/support/product/enterable-directory.ts';
import { productEnv } from '#test/support/product/product-env.ts';
import { createTestDatabase } from '#test/support/database/test-database.ts';
import { insertDeadLetters } from '#test/support/queue/dead-letters.ts';
import { runProduct } from '#test/support/product/product-process.ts';
import { runCommand } from '#test/support/product/run-command.ts';

const database = await createTestDatabase();
const env = productEnv(database.url, path.join(tmpdir(), 'forgewatch-never-written'));
const run = (...args: string[]) => runCommand(args, env);
const modeOf = async (file: string): Promise<string> => ((await stat(file)).mode & 0o777).toString(8);

test('dead letters are listed one JSON line each, redriven and dropped', async () => {
  const [ofA = ''] = await insertDeadLetters(database, 'a', 'invalid_json');
  const [ofB = ''] = await insertDeadLetters(database, 'b', 'expired');
  const [gone = ''] = await insertDeadLetters(database, 'many', 'expired', 150);
  assert.equal((await run('dead-letters', 'list', '--group', 'many')).stdout.trim().split('\n').length, 150);
  assert.deepEqual(JSON.parse((await run('dead-letters', 'drop', '--group', 'many')).stdout), {
    dropped: 150,
  });
  const lines = (await run('dead-letters', 'list')).stdout.trim().split('\n');
  assert.deepEqual(
    lines.map((line) => (JSON.parse(line) as { reason: string }).reason),
    ['invalid_json', 'expired'],
  );
  assert.equal((await run('dead-letters', 'list', '--group', 'b')).stdout.trim().split('\n').length, 1);
  assert.equal((await run('dead-letters', 'drop')).code, 2, 'nothing is dropped without saying what');
  assert.equal((await run('dead-letters', 'drop', ofA, '--all')).code, 2, 'nor when two things are said');
  for (const [args, name] of [
    [['drop', 'abc'], 'with the id abc'],
    [['redrive', gone], `with the id ${gone}`],
    [['redrive', '--group', 'nope'], 'in the group nope'],
    [['drop', ofB, '--group', 'a'], `with the id ${ofB} in the group a`],
  ] as const) {
    const { code, stdout, stderr } = await run('dead-letters', ...args);
    assert.deepEqual([code, Object.values(JSON.parse(stdout) as object)], [1, [0]], name);
    assert.equal(stderr, `There is no dead letter ${name}.\n`);
  }
  const half = await run('dead-letters', 'drop', ofA, gone);
  assert.deepEqual([half.code, JSON.parse(half.stdout)], [1, { dropped: 1 }]);
  assert.ok(half.stderr.includes(`no dead letter with the id ${gone}`), half.stderr);
  assert.deepEqual(JSON.parse((await run('dead-letters', 'redrive', '--all')).stdout), { redriven: 1 });
});

test('a wrong setting stops the start with one line that names it', async () => {
  const { code, stderr } = await runProduct(['serve'], { ...env, PORT: 'http', LOG_LEVEL: 'loud' });
  assert.equal(code, 1);
  assert.match(stderr, /^PORT: is "http", should be a whole number/m);
  assert.match(stderr, /^LOG_LEVEL: is "loud", should be one of/m);
});

test('a database that does not answer is reported with the name of its setting, and without its value', async () => {
  const address = `127.0.0.1:${await freePort()}`;
  const nowhere = { ...env, DATABASE_URL: `postgres://ann:hunter2@${address}/x` };
  for (const verb of ['migrate', 'doctor']) {
    const { code, stderr } = await runCommand([verb], nowhere);
    assert.equal(code, 1);
    assert.match(
      stderr,
      /DATABASE_URL: is \(hidden\), should be a Postgres database that accepts this login: /,
    );
    assert.ok(stderr.includes(`ECONNREFUSED ${address}`) && !stderr.includes('hunter2'), stderr);
  }
});

test('a command that needs a database of its own starts one, and leaves none behind', async (t) => {
  const { directory: dataDir, remove } = await makeEnterableDirectory('own', await fastestParent());
  t.after(remove);
  const { code, stderr } = await runProduct(['migrate'], { ...env, DATABASE_URL: '', DATA_DIR: dataDir });
  assert.equal(code, 0, stderr);
  assert.deepEqual((await readdir(dataDir)).sort(), ['postgres']);
  assert.equal((await readdir(path.join(dataDir, 'postgres'))).includes('postmaster.pid'), false);
});

test('other accounts are kept out of a DATA_DIR that was open, and the database in it is found again', async (t) => {
  const { directory: dataDir, remove } = await makeEnterableDirectory('open', await fastestParent());
  t.after(remove);
  const migrate = () =>
    runProduct(['migrate'], { ...env, DATABASE_URL: '', DATA_DIR: dataDir, LOG_LEVEL: 'info' });
  assert.match((await migrate()).stderr, /database migrated/);
  // As root, Postgres runs as another account, whose group may pass through.
  assert.equal(await modeOf(dataDir), process.getuid?.() === 0 ? '710' : '700');
  await chmod(dataDir, 0o755);
  const again = await migrate();
  assert.equal(again.code, 0, again.stderr);
  assert.doesNotMatch(again.stderr, /database migrated/);
  assert.equal(Number(await modeOf(dataDir)) % 10, 0);
  assert.deepEqual(await readdir(dataDir), ['postgres']);
});
