import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import { after, test } from 'node:test';
import { readSampleData } from '#server/sample-data/remove-samples.ts';
import { productEnv } from '#test/support/product/product-env.ts';
import { runProduct, startProduct } from '#test/support/product/product-process.ts';
import { runCommand } from '#test/support/product/run-command.ts';
import { createTestDatabase } from '#test/support/database/test-database.ts';
import { storedRuns } from '#test/support/data/reading/stored-runs.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { countRows, readRows } from '#test/support/database/rows.ts';
import { makeTemporaryDirectory } from '#test/support/product/temporary-directory.ts';

const database = await createTestDatabase();
const directory = await makeTemporaryDirectory();
const env = {
  ...productEnv(database.url, directory),
  WORKER_TIMEOUT_SECONDS: '2',
};
const publicUrl = 'http://localhost:8123';
const serve = await startProduct('serve', { ...env, PUBLIC_URL: publicUrl });
after(() => serve.kill());

const modeOf = async (file: string): Promise<string> => ((await stat(file)).mode & 0o777).toString(8);
const run = (...args: string[]) => runCommand(args, env);

test('token create prints a token that the running server accepts, for a person and for an integration', async () => {
  const { integrationId } = JSON.parse((await run('integration', 'create', '--label', 'Tokens')).stdout) as {
    integrationId: string;
  };
  const ofIntegration = ['--role', 'viewer', '--integration', integrationId];
  for (const args of [['--days', '7'], ['--write', '--integration', integrationId], ofIntegration]) {
    const created = await run('token', 'create', '--name', 'Script', ...args);
    assert.equal(created.code, 0, created.stderr);
    const { token } = JSON.parse(created.stdout) as { token: string };
    const answer = await fetch(`${serve.ready}/api/integrations/${integrationId}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    assert.equal(answer.status, 200, args.join(' '));
  }
  for (const args of [
    [],
    ['--name', ''],
    ['--name', 'Script', '--role', 'owner', '--integration', integrationId],
    ['--name', 'Script', '--role', 'viewer'],
    ['--name', 'Script', '--write', ...ofIntegration],
    ['--name', 'Script', '--integration', 'mine'],
    ['--name', 'Script', '--days', '400'],
  ])
    assert.equal((await run('token', 'create', ...args)).code, 2, args.join(' '));
});

test('integration create prints JSON that a script can read, simulate posts to the running server and sums up', async () => {
  const created = await runProduct(['integration', 'create', '--label', 'My team'], env);
  assert.equal(created.code, 0, created.stderr);
  const { integrationId, webhookUrl, webhookSecret } = JSON.parse(created.stdout) as Record<string, string>;
  assert.match(webhookUrl ?? '', new RegExp(`/api/import/${integrationId}$`));
  assert.match(webhookSecret ?? '', /^[0-9a-f]{64}$/);

  const simulated = await runProduct(
    [
      'simulate',
      '--integration',
      integrationId?.toUpperCase() ?? '',
      '--rate',
      '100',
      '--seconds',
      '2',
      '--seed',
      '0',
      '--shuffle',
      '--duplicates',
      '10',
    ],
    env,
  );
  assert.equal(simulated.code, 0, simulated.stderr);
  const summary = JSON.parse(simulated.stdout) as { sent: number; accepted: number; lost: number };
  assert.ok(summary.sent > 10 && summary.accepted === summary.sent && summary.lost === 0, simulated.stdout);
  await waitUntil(
    'the events to be stored',
    async () => (await storedRuns(database, integrationId ?? '')).length > 0,
  );
});

test('simulate with a secret marks its events as sample data at the own server, and not at an address', async () => {
  for (const [args, isPresent] of [
    [[], true],
    [['--url', serve.ready], false],
  ] as const) {
    const created = await run('integration', 'create', '--label', 'Secret');
    const { integrationId, webhookSecret } = JSON.parse(created.stdout) as Record<string, string>;
    const ofIntegration = ['--integration', integrationId ?? '', '--secret', webhookSecret ?? ''];
    const speed = ['--rate', '20', '--seconds', '1', '--seed', '0'];
    const { code, stderr } = await runProduct(['simulate', ...ofIntegration, ...speed, ...args], env);
    assert.equal(code, 0, stderr);
    const marked = await readSampleData(database.api, integrationId ?? '');
    assert.equal(marked.state === 'present', isPresent, args.join(' '));
  }
});

test('simulate connects the integration to the forge of the sample traffic, which has the logs of its failures', async () => {
  const created = await run('integration', 'create', '--label', 'Logs');
  const { integrationId } = JSON.parse(created.stdout) as { integrationId: string };
  // This seed has five failed jobs.
  const args = ['--integration', integrationId, '--rate', '20', '--seconds', '20', '--seed', '1'];
  const simulated = await runProduct(['simulate', ...args], env);
  assert.equal(simulated.code, 0, simulated.stderr);
  await waitUntil('a failure whose log was read', async () => {
    const reasons = await readRows(database, 'failure_reasons', { integration_id: integrationId });
    return reasons.some(({ sealed_excerpt: excerpt }) => excerpt !== null);
  });
});

test('an integration gets no demo user as its owner where the server that runs is no demo', async (t) => {
  const file = path.join(directory, 'running.json');
  const asItIs = await readFile(file, 'utf8');
  t.after(() => writeFile(file, asItIs));
  await writeFile(file, JSON.stringify({ ...JSON.parse(asItIs), publicUrl: 'https://ci.example.com' }));
  const { code, stderr } = await run('integration', 'create', '--label', 'Nobody could open it');
  assert.equal(code, 2);
  assert.match(stderr, /--owner LOGIN/);
});

test('the printed first steps name an owner and how to sign in where the demo is off', async (t) => {
  const dataDir = await makeTemporaryDirectory();
  const other = await startProduct('serve', { ...env, DATA_DIR: dataDir, DEMO_SIGN_IN: 'off' });
  t.after(() => other.kill());
  await waitUntil('the first steps', () => other.stderr().includes('Create'));
  assert.match(other.stderr(), /integration create --label "My team" --owner LOGIN/);
  assert.doesNotMatch(serve.stderr(), /--owner LOGIN|Sign-in/);
  assert.match(other.stderr(), /Sign-in +none yet: set FORGE_CLIENT_ID/);
});

test('doctor finds nothing wrong with a healthy installation, and names what is', async () => {
  const healthy = await run('doctor', '--json');
  const findings = JSON.parse(healthy.stdout) as { check: string; verdict: string; text: string }[];
  const sizes = findings.find(({ check }) => check === 'table sizes')?.text ?? '';
  assert.match(sizes, /^\d+ [kMG]?B.*: .*realtime_outbox \d+ [kMG]?B/);
  assert.doesNotMatch(sizes, /realtime_outbox_\d|queue_message_\d/, 'partitions count for their table');
  assert.deepEqual(
    findings.filter(({ verdict }) => verdict === 'wrong'),
    [],
  );
  assert.equal(healthy.code, 0);
  const address = findings.find(({ check }) => check === 'public address')?.text ?? '';
  assert.ok(address.startsWith(publicUrl), `${address}: the running server's, not this command's`);
  const [printed = 'none'] = /http:\S+key=\w+/.exec(serve.stderr()) ?? [];
  assert.ok(printed.startsWith(`${publicUrl}/?key=`), printed);
  const wayIn = findings.find(({ check }) => check === 'identity provider')?.text ?? '';
  assert.ok(wayIn.includes(printed), `${wayIn}: the address of the running server's demo sign-in`);
  await database.asOwner('alter table event_log no force row level security');
  const ill = await run('doctor');
  assert.equal(ill.code, 1);
  assert.match(ill.stderr, /WRONG\s+row-level security\s+not forced on event_log/);
  await database.asOwner('alter table event_log force row level security');
});

test('the version is printed alone', async () => {
  const { code, stdout } = await runProduct(['--version'], env);
  assert.equal(code, 0);
  assert.match(stdout, /^\d+\.\d+\.\d+\n$/);
});

test('the process of a command exits with its code, and prints to where it says', async () => {
  const wrong = await runProduct(['nonsense'], env);
  assert.deepEqual([wrong.code, wrong.stdout], [2, '']);
  assert.match(wrong.stderr, /^forgewatch: .*There is no command "nonsense"\nSee: forgewatch --help\n$/s);
});

test('wrong usage exits 2 and says what is wrong, help exits 0', async () => {
  const integrations = () => countRows(database, 'integrations');
  const before = await integrations();
  for (const args of [
    ['nonsense', 'too'],
    ['simulate'],
    ['simulate', '--integration', 'x'],
    ['serve', '--unknown'],
    ['integration', 'create', '--label', 'x'.repeat(101)],
    ['integration', 'create', '--label', '   '],
    ['integration', 'create', '--label', 'two\nlines'],
    ['integration', 'create', '--label', 'X', 'extra'],
    ['simulate', '--integration', randomUUID(), '--url', 'notaurl'],
    ['serve', 'foo'],
  ]) {
    const { code, stdout, stderr } = await run(...args);
    assert.deepEqual([code, stdout], [2, ''], args.join(' '));
    assert.match(stderr, /forgewatch --help/);
    for (const option of ['--label', '--url'])
      if (args.at(-2) === option) assert.match(stderr, new RegExp(`^${option} takes `));
  }
  assert.equal(await integrations(), before);
  for (const verb of [
    'serve',
    'api',
    'worker',
    'migrate',
    'integration create',
    'simulate',
    'dead-letters list',
    'doctor',
  ]) {
    const { code, stderr } = await run(...verb.split(' '), '--help');
    assert.equal(code, 0, verb);
    assert.match(stderr, new RegExp(`^forgewatch ${verb}:`));
  }
  const group = await run('dead-letters', '--help');
  const listed = group.stderr.match(/(?<=^ {2})\S+ \S+/gm);
  assert.deepEqual(
    [group.code, listed],
    [0, ['dead-letters list', 'dead-letters redrive', 'dead-letters drop']],
  );
});

test('a command with another key than the server that runs changes nothing, and says which setting is wrong', async () => {
  const key = randomBytes(32).toString('base64');
  for (const [verb, held, ENCRYPTION_KEY] of [
    ['doctor', '(hidden)', key],
    ['migrate', 'unset', ''],
  ] as const) {
    const { code, stderr } = await runCommand([verb], { ...env, ENCRYPTION_KEY });
    assert.equal(code, 1);
    assert.ok(
      stderr.includes(`ENCRYPTION_KEY: is ${held}, should be the key of the other processes`),
      stderr,
    );
  }
  assert.equal((await run('dead-letters', 'list')).code, 0);
});

test('a free port is also that of the public URL', async (t) => {
  const api = await startProduct('api', env);
  t.after(() => api.kill());
  const { publicUrl } = (await (await fetch(`${api.ready}/config.json`)).json()) as { publicUrl: string };
  assert.equal(new URL(publicUrl).port, new URL(api.ready).port);
});

test('files that serve writes to DATA_DIR are readable by its own account only', async () => {
  const names = await readdir(directory, { recursive: true, withFileTypes: true });
  const written = names.filter((each) => !each.parentPath.includes('unwritable'));
  assert.ok(written.some(({ name }) => name === 'running.json'));
  assert.ok(written.some(({ name }) => /^worker.*log$/.test(name)));
  for (const entry of written) {
    const mode = await modeOf(path.join(entry.parentPath, entry.name));
    assert.equal(mode, entry.isDirectory() ? '700' : '600', entry.name);
  }
  assert.equal(await modeOf(directory), '700');
});

test('a second serve on the same directory is refused, and names the first', async () => {
  const { code, stderr } = await runProduct(['serve'], env);
  assert.equal(code, 1);
  assert.match(stderr, new RegExp(`already running on \\S+ \\(process \\d+, ${serve.ready}\\)`));
});

test('a serve that cannot write to its directory ends, and says so', async () => {
  const unwritable = path.join(directory, 'unwritable');
  await mkdir(path.join(unwritable, 'running.json'), { recursive: true });
  const { code, stderr } = await runProduct(['serve'], { ...env, DATA_DIR: unwritable });
  assert.equal(code, 1);
  assert.match(stderr, /EISDIR.*running\.json/);
});

test('the worker writes a log of its own, and SIGTERM drains and exits 0 although clients stay connected', async () => {
  assert.ok((await readdir(path.join(directory, 'logs'))).some((name) => /^worker\..*\.log$/.test(name)));
  const { hostname, port } = new URL(serve.ready);
  const half = connect(Number(port), hostname).on('error', () => {});
  half.write(`POST /api/import/x HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{"a"`);
  await once(half, 'ready');
  assert.equal(await serve.stop(), 0);
  assert.equal((await readdir(directory)).includes('running.json'), false);
});
