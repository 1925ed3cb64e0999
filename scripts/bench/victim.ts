import { randomUUID } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { forwardedFor, ping, type PingTarget } from '#test/support/attacks/ping.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { startChild, root, type Child } from './children.ts';
import { packagedScript, portOf, productEnv } from './product.ts';
import { prepareTargets } from './targets.ts';
import type { Bench } from './types.ts';

/** In milliseconds. */
export interface Stops {
  longest: number;
  /** The most that the thread of the event loop computed in one of them. */
  mostComputed: number;
  /** The longest one of a process that does nothing, which the machine stopped. */
  longestIdle: number;
}

/** An api process that is attacked. */
export interface Victim {
  target: PingTarget;
  /** The webhook of another integration, which the attacker knows. */
  attackedPath: string;
  targetsFile: string;
  /** Of the event loop since the last call. */
  stops(): Promise<Stops>;
  residentMebibytes(): Promise<number>;
}

export async function startVictim(bench: Bench, isProxied: boolean): Promise<Victim> {
  const name = isProxied ? 'fair-proxied' : 'fair';
  const { databaseUrl, integrations, file } = await prepareTargets(bench, name.replace('-', '_'), 2);
  const [own, attacked] = integrations;
  if (own === undefined || attacked === undefined) throw new Error('no integrations');
  const env = {
    ...productEnv(bench, `${name}-data`, databaseUrl),
    ...(isProxied && { TRUSTED_PROXIES: '127.0.0.0/8' }),
  };
  const idleProgram = `setInterval(() => {}, 60_000); console.log('ready')`;
  const api = await startWatched(bench, [path.join(root, await packagedScript()), 'api'], env);
  const idle = await startWatched(bench, ['--eval', idleProgram], {});
  const { integrationId, webhookSecret } = own;
  const target = {
    port: portOf(api.ready),
    integrationId,
    webhookSecret,
    forwarded: isProxied ? forwardedFor.others : undefined,
  };
  const stops = async (): Promise<Stops> => {
    const [own, { longest }] = await Promise.all([api.delays(), idle.delays()]);
    return { ...own, longestIdle: longest };
  };
  for (let count = 0; count < 50; count += 1) await ping(target);
  await stops();
  return {
    target,
    attackedPath: `/api/import/${attacked.integrationId}`,
    targetsFile: file,
    stops,
    residentMebibytes: async () => {
      const status = await readFile(`/proc/${api.pid}/status`, 'utf8');
      return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
    },
  };
}

type Delays = Omit<Stops, 'longestIdle'>;

/** A child whose event loop is watched. */
async function startWatched(
  bench: Bench,
  args: string[],
  env: NodeJS.ProcessEnv,
): Promise<Child & { delays(): Promise<Delays> }> {
  const file = path.join(bench.directory, `delays-${randomUUID()}.json`);
  const watch = ['--import', path.join(root, 'scripts/bench/programs/loop-delay.ts')];
  const child = await startChild(bench, process.execPath, [...watch, ...args], {
    env: { ...env, BENCH_DELAY_FILE: file },
  });
  const delays = async (): Promise<Delays> => {
    await rm(file, { force: true });
    process.kill(child.pid, 'SIGUSR2');
    const read = () => readFile(file, 'utf8').catch(() => '');
    await waitUntil('the delays', async () => (await read()).endsWith('}'));
    return JSON.parse(await read()) as Delays;
  };
  return { ...child, delays };
}

/** The milliseconds of pings, one after the other with a pause. */
export async function pingFor(target: PingTarget, seconds: number): Promise<number[]> {
  const times: number[] = [];
  const end = performance.now() + seconds * 1000;
  while (times.length < 5 || performance.now() < end) {
    const from = performance.now();
    await ping(target);
    times.push(performance.now() - from);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return times;
}
