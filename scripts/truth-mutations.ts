import { spawn } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { mutations, type Mutation } from '../test/truth/mutations.ts';

/**
 * Shows that the model of a forge's life notices faults: breaks a copy of the product in one place at a time and compares it with the
 * model. Ends with 1 when a fault is not noticed. Arguments choose mutations by a part of their name.
 */
const root = path.join(import.meta.dirname, '..');
const copied = [
  'bin',
  'contract',
  'deploy',
  'migrations',
  'platform',
  'scripts',
  'server',
  'test',
  'package.json',
];
/** Worlds of a kind that are tried until one shows the fault. */
const seeds = [1, 2, 3, 4, 5];

const copy = await mkdtemp(path.join(os.tmpdir(), 'forgewatch-mutations-'));
process.once('SIGINT', () => process.exit(130));
try {
  await Promise.all(
    copied.map((name) => cp(path.join(root, name), path.join(copy, name), { recursive: true })),
  );
  for (const name of ['node_modules', 'dist']) await symlink(path.join(root, name), path.join(copy, name));
  const chosen = mutations.filter(
    ({ name }) => process.argv.length < 3 || process.argv.slice(2).some((part) => name.includes(part)),
  );
  let missed = 0;
  for (const mutation of chosen) {
    const noticed = await check(mutation);
    if (noticed === undefined) missed += 1;
    process.stdout.write(
      `${noticed === undefined ? 'MISSED ' : 'noticed'} ${mutation.name}${noticed ?? ''}\n`,
    );
  }
  process.stdout.write(`${chosen.length - missed} of ${chosen.length} faults are noticed\n`);
  process.exitCode = missed === 0 ? 0 : 1;
} finally {
  await rm(copy, { recursive: true, force: true });
}

/** Says where the fault shows. Undefined when no world shows it. */
async function check({ file, from, to, kind }: Mutation): Promise<string | undefined> {
  const target = path.join(copy, file);
  const source = await readFile(target, 'utf8');
  if (source.split(from).length !== 2) throw new Error(`${file} must contain exactly once: ${from}`);
  await writeFile(
    target,
    source.replace(from, () => to),
  );
  try {
    for (const seed of seeds) {
      const { code, output } = await run([
        'scripts/truth.ts',
        '--kind',
        kind,
        '--seed',
        String(seed),
        '--quick',
      ]);
      if (code === 0) continue;
      const line = /, seed \d+, at .*:\\?n?\s+(.{1,160})/.exec(output)?.[1];
      if (line === undefined)
        throw new Error(`The comparison failed in another way:\n${output.slice(-2000)}`);
      return ` (${kind}, seed ${seed}): ${line}`;
    }
    return undefined;
  } finally {
    await writeFile(target, source);
  }
}

function run(args: readonly string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, args, { cwd: copy, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const take = (chunk: Buffer): void => void (output += chunk.toString());
  child.stdout.on('data', take);
  child.stderr.on('data', take);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output }));
  });
}
