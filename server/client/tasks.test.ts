import assert from 'node:assert/strict';
import { test } from 'node:test';
import { insertTask } from '#test/support/forge/insert-task.ts';
import { personalToken } from '#test/support/identity/token-client.ts';
import { runCommand } from '#test/support/product/run-command.ts';
import { startTeamProduct, type Person } from '#test/support/team/team.ts';

const product = await startTeamProduct();
const team = await product.newTeam();

async function clientOf(person: Person) {
  const { token } = await personalToken(product, person, { scopes: ['read', 'write'] });
  const env = {
    FORGEWATCH_URL: product.publicUrl,
    FORGEWATCH_TOKEN: token,
    FORGEWATCH_INTEGRATION: team.integrationId,
  };
  return (...args: string[]) => runCommand(['tasks', ...args], env);
}

const insert = (key: string, more: object = {}) =>
  insertTask(product.database, team.integrationId, { kind: 'forge-logs', key, dueInMs: 600_000, ...more });

test('an admin lists, retries and drops background work on the command line', async () => {
  const run = await clientOf(team.admin);
  const failing = await insert('1', { failures: 2, failingForMs: 3_600_000, error: 'Refused \u001b[31m.' });
  const resting = await insert('2');
  const { stdout } = await run('list');
  const [first = '', second = ''] = stdout.split('\n');
  assert.match(first, new RegExp(`^${failing} +failing 2× +for 1h 00m +next in 10m 00s|9m 5\\ds`));
  assert.ok(first.includes('Read logs of failed jobs'));
  assert.equal(stdout.includes('\u001b'), false);
  assert.match(second, new RegExp(`^${resting} +scheduled`));
  assert.equal((await run('list', '--state', 'failing')).stdout.trim().split('\n').length, 1);

  assert.deepEqual(await run('retry', '--all'), { code: 0, stdout: '{"retried":1}\n', stderr: '' });
  const partly = await run('retry', resting, '00000000-0000-4000-8000-000000000009');
  assert.deepEqual([partly.code, partly.stdout], [1, '{"retried":1}\n']);
  assert.match(partly.stderr, /^1 not retried/);

  assert.deepEqual(await run('drop', failing), { code: 0, stdout: '', stderr: '' });
  const again = await run('drop', failing);
  assert.equal(again.code, 1);
  assert.match(again.stderr, /Task not found/);
  for (const args of [['retry'], ['retry', failing, '--all'], ['drop']])
    assert.equal((await run(...args)).code, 2, args.join(' '));
});

test('a member is refused', async () => {
  const run = await clientOf(team.member);
  const { code, stderr } = await run('list');
  assert.equal(code, 1);
  assert.match(stderr, /admin/);
});
