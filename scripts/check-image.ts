import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, chown, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { setTimeout } from 'node:timers/promises';
import { freePort } from '#platform/runtime/processes/free-port.ts';

/**
 * Builds the container image and runs it as its account on a read-only root until `/readyz` answers, with docker, podman or, as
 * root and without a daemon, buildah. `--base IMAGE` replaces the base image, for machines without a registry.
 */
const run = promisify(execFile);
const { values } = parseArgs({ options: { base: { type: 'string' } } });
const root = path.join(import.meta.dirname, '..');
const image = 'localhost/forgewatch:check';

const engine = await findEngine();
if (engine === undefined) {
  process.stdout.write('Skipped: none of docker, podman and buildah works here.\n');
  process.exit(0);
}
process.stdout.write(`Building with ${engine}\n`);
await build(engine);
const data = await mkdtemp(path.join(tmpdir(), 'forgewatch-image-'));
await chown(data, 1000, 1000).catch(() => {});
const port = await freePort();
const settings = { PORT: String(port), PUBLIC_URL: `http://localhost:${port}`, HOST: '127.0.0.1' };
const container = engine === 'buildah' ? await startChroot(settings) : startContainer(engine, settings);
try {
  await untilReady(container.process);
  process.stdout.write(`Ready on a read-only root: ${container.describe}\n`);
} finally {
  await container.stop();
  await rm(data, { recursive: true, force: true });
}

async function findEngine(): Promise<'docker' | 'podman' | 'buildah' | undefined> {
  for (const [name, ...probe] of [
    ['docker', 'info'],
    ['podman', 'info'],
    ['buildah', 'info'],
  ] as const)
    if (await run(name, probe).then(Boolean, () => false)) return name;
  return undefined;
}

async function build(name: string): Promise<void> {
  const base = values.base === undefined ? [] : ['--build-arg', `BASE=${values.base}`];
  const how = name === 'buildah' ? ['bud', '--isolation', 'chroot', '--format', 'docker'] : ['build'];
  const child = spawn(name, [...how, ...base, '--tag', image, root], { stdio: 'inherit' });
  const code = await new Promise((resolve) => child.once('exit', resolve));
  if (code !== 0) throw new Error(`${name} could not build the image.`);
}

function startContainer(name: string, env: Record<string, string>) {
  const settingArgs = Object.entries(env).flatMap(([key, value]) => ['--env', `${key}=${value}`]);
  const args = ['run', '--rm', '--read-only', '--tmpfs', '/tmp', '--network', 'host', '--init', '--volume'];
  const child = spawn(name, [...args, `${data}:/data`, ...settingArgs, image], { stdio: 'inherit' });
  return { process: child, describe: `${name} run --read-only`, stop: () => end(child) };
}

interface ImageConfig {
  User: string;
  Env: string[];
  Entrypoint: string[];
  Cmd: string[];
}

/** Buildah runs no image for long, so its tree is mounted read-only and entered as the account of the image. */
async function startChroot(env: Record<string, string>) {
  const { stdout: from } = await run('buildah', ['from', '--pull-never', image]);
  const { stdout: inspected } = await run('buildah', ['inspect', image]);
  const { config } = (JSON.parse(inspected) as { OCIv1: { config: ImageConfig } }).OCIv1;
  const { stdout: mounted } = await run('buildah', ['mount', from.trim()]);
  const tree = mounted.trim();
  const script = `mount --bind "$0" "$0" && mount --bind "$1" "$0/data" && mount -t tmpfs tmpfs "$0/tmp" && mount -t proc proc "$0/proc" &&
    mount --rbind /dev "$0/dev" && mount -o remount,bind,ro "$0" && shift && cd "$0" && tree=$0 && exec chroot --userspec=${config.User} "$tree" env -i "$@"`;
  const variables = [...config.Env, ...Object.entries(env).map(([key, value]) => `${key}=${value}`)];
  const child = spawn(
    'unshare',
    ['--mount', 'sh', '-c', script, tree, data, ...variables, ...config.Entrypoint, ...config.Cmd],
    { stdio: 'inherit' },
  );
  return {
    process: child,
    describe: `the tree of the image as ${config.User}`,
    stop: async () => {
      await end(child);
      await run('buildah', ['rm', from.trim()]);
    },
  };
}

async function untilReady(child: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 240; tries += 1) {
    if (child.exitCode !== null) throw new Error('The container ended before it was ready.');
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
    if (answer?.ok === true) return;
    await setTimeout(500);
  }
  throw new Error('The container was not ready within two minutes.');
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}
