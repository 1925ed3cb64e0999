import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { access, constants, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { makeTemporaryDirectory } from '#test/support/product/temporary-directory.ts';

const root = path.join(import.meta.dirname, '../../..');
const installed = '/opt/forgewatch';
const folder = path.join(root, 'deploy/systemd');
const unit = await readFile(path.join(folder, 'forgewatch.service'), 'utf8');

const version = Number(/^systemd (\d+)/.exec(analyze('--version'))?.[1] ?? 0);
/** Offline checks came with it. */
const skip = version < 250 && 'there is no systemd 250 here';

function analyze(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync('systemd-analyze', args, { encoding: 'utf8' });
  assert.ok(status === null || status === 0, `${stdout}${stderr}`);
  return `${stdout ?? ''}${stderr ?? ''}`;
}

/** The unit of a clone that is here instead of in `/opt/forgewatch`. */
async function unitOfThisClone(name = 'forgewatch.service'): Promise<string> {
  const file = path.join(await makeTemporaryDirectory(), name);
  const text = await readFile(path.join(folder, name), 'utf8');
  await writeFile(file, text.replaceAll(installed, root));
  return file;
}

test('the unit, its command and its guide name files of a clone', async () => {
  for (const file of ['forgewatch.service', 'forgewatch-backup.service', 'forgewatch', 'README.md']) {
    const text = await readFile(path.join(folder, file), 'utf8');
    const named = [...text.matchAll(/\/opt\/forgewatch\/([\w./-]+)/g)].map(([, name]) => name!);
    for (const name of named) await access(path.join(root, name));
  }
  const [, node = ''] = /^ExecStart=(\S+)/m.exec(unit) ?? [];
  await access(node.replace(installed, root), constants.X_OK);
});

test('systemd understands every line of the units', { skip }, async () => {
  for (const name of ['forgewatch.service', 'forgewatch-backup.service'])
    assert.equal(analyze('verify', '--man=no', await unitOfThisClone(name)), '');
});

test('the exposure of the service is below 2.0', { skip }, async () => {
  const report = analyze('security', '--offline=true', '--no-pager', await unitOfThisClone());
  const exposure = Number(/Overall exposure level for .*: ([\d.]+)/.exec(report)?.[1]);
  assert.ok(exposure < 2, report);
});

test('V8 may compile, and commands may recognise the running service', () => {
  assert.doesNotMatch(unit, /^MemoryDenyWriteExecute=(yes|true|1|on)/m);
  assert.doesNotMatch(unit, /^ProcSubset=pid/m);
});

test('the service of backups may see the running service', async () => {
  const text = await readFile(path.join(folder, 'forgewatch-backup.service'), 'utf8');
  assert.doesNotMatch(text, /^(ProtectProc|PrivateUsers|PrivatePIDs|ProcSubset)=/m);
});
