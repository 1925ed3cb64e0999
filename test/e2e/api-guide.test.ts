import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { freePort } from '#platform/runtime/processes/free-port.ts';
import { runPayload } from '#test/support/data/forge-events.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { personalToken } from '#test/support/identity/token-client.ts';
import { startInterruptibleProxy } from '#test/support/network/interruptible-proxy.ts';
import { startTeamProduct } from '#test/support/team/team.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { makeTemporaryDirectory } from '#test/support/product/temporary-directory.ts';

const run = promisify(execFile);
const guide = await readFile(path.join(import.meta.dirname, '../../docs/guide/api.md'), 'utf8');
const blocksOf = (language: string): string[] =>
  [...guide.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, text = '']) => text);

const serverPort = await freePort();
const product = await startTeamProduct({ PORT: String(serverPort) }, ['api', 'worker']);
const proxy = await startInterruptibleProxy(Number(new URL(product.publicUrl).port), serverPort);
const team = await product.newTeam('Guide');
const { token } = await personalToken(product, team.owner);
const env = {
  ...process.env,
  FORGEWATCH_URL: product.publicUrl,
  FORGEWATCH_TOKEN: token,
  INTEGRATION: team.integrationId,
};

test('every curl command of the API guide answers as described', async () => {
  const commands = blocksOf('sh').filter((block) => block.startsWith('curl '));
  assert.ok(commands.length >= 4);
  const directory = await makeTemporaryDirectory();
  for (const command of commands) {
    const { stdout } = await run('sh', ['-c', command], { env, cwd: directory });
    if (command.includes('cctray.xml')) {
      assert.match(stdout, /<Projects>[^]*# EOF\n$/);
      continue;
    }
    if (command.includes('--etag-compare')) {
      const again = await run('sh', ['-c', command], { env, cwd: directory });
      assert.equal(again.stdout, '', 'nothing changed');
    }
    if (command.includes('/tasks/retry')) {
      assert.deepEqual(JSON.parse(stdout), { retried: 0 });
      continue;
    }
    const body = JSON.parse(stdout) as { items?: unknown[]; label?: string };
    assert.ok(Array.isArray(body.items) || body.label === 'My team', command);
  }
});

/** Runs the documented program until the test ends. */
async function startSocketClient(apiToken: string) {
  const [program = ''] = blocksOf('js');
  const directory = await makeTemporaryDirectory();
  const file = path.join(directory, 'follow.mjs');
  await writeFile(file, program);
  const child = spawn(process.execPath, [file], {
    env: { ...env, FORGEWATCH_TOKEN: apiToken },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  after(() => void child.kill('SIGKILL'));
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  return { child, printed: () => printed };
}

let id = 1;

/** Updates are not repeated, so some precede the socket. */
async function waitForUpdate(printed: () => string): Promise<void> {
  const name = `Build ${(id += 1)}`;
  await waitUntil('the client to print a run', async () => {
    const payload = runPayload({ id: (id += 1), display_title: name });
    await postWebhook(product.baseUrl, team, { event: 'workflow_run', payload });
    return new RegExp(`^${team.integrationId} \\d+ workflow_run ${name} `, 'm').test(printed());
  });
}

test('the socket client of the API guide prints each update, and again after a lost connection', async () => {
  const { printed } = await startSocketClient(token);
  await waitForUpdate(printed);
  await proxy.interrupt();
  await waitUntil('the client to notice', () => printed().includes('the socket closed with 1006'));
  await proxy.restore();
  await waitForUpdate(printed);
});

test('the socket client of the API guide ends when its token is revoked', async () => {
  const own = await personalToken(product, team.viewer);
  const { child, printed } = await startSocketClient(own.token);
  await waitForUpdate(printed);
  const ended = once(child, 'exit');
  assert.equal((await team.viewer.call('DELETE', `/api/user/tokens/${own.tokenId}`)).status, 204);
  assert.deepEqual(await ended, [1, null]);
  assert.match(printed(), /the socket closed with 4401\n.*"code":"invalid_token"/);
});
