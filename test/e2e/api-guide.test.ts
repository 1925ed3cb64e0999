import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { runPayload } from '#test/support/data/forge-events.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { personalToken } from '#test/support/identity/token-client.ts';
import { startTeamProduct } from '#test/support/team/team.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const run = promisify(execFile);
const guide = await readFile(path.join(import.meta.dirname, '../../docs/guide/api.md'), 'utf8');
const blocksOf = (language: string): string[] =>
  [...guide.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, text = '']) => text);

const product = await startTeamProduct({}, ['api', 'worker']);
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
  const directory = await mkdtemp(path.join(tmpdir(), 'forgewatch-guide-'));
  after(() => rm(directory, { recursive: true, force: true }));
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
    const body = JSON.parse(stdout) as { items?: unknown[]; label?: string };
    assert.ok(Array.isArray(body.items) || body.label === 'My team', command);
  }
});

test('the socket client of the API guide prints each update', async () => {
  const [program = ''] = blocksOf('js');
  const directory = await mkdtemp(path.join(tmpdir(), 'forgewatch-guide-'));
  const file = path.join(directory, 'follow.mjs');
  await writeFile(file, program);
  const child = spawn(process.execPath, [file], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  after(async () => {
    child.kill('SIGKILL');
    await rm(directory, { recursive: true, force: true });
  });
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  let id = 1;
  // The first updates may precede the socket.
  await waitUntil('the client to print a run', async () => {
    await postWebhook(product.baseUrl, team, {
      event: 'workflow_run',
      payload: runPayload({ id: (id += 1) }),
    });
    return printed.includes(`${team.integrationId} `) && printed.includes('workflow_run');
  });
});
