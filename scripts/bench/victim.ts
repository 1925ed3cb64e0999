import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { forwardedFor, ping, type PingTarget } from '#test/support/attacks/ping.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { startNode, root } from './children.ts';
import { packagedScript, portOf, productEnv } from './product.ts';
import { prepareTargets } from './targets.ts';
import type { Bench } from './types.ts';

/** In milliseconds. */
export interface Stops {
  longest: number;
  /** The most that the thread of the event loop computed in one of them. */
  mostComputed: number;
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
  const delayFile = path.join(bench.directory, `${name}-delays.json`);
  const env = {
    ...productEnv(bench, `${name}-data`, databaseUrl),
    BENCH_DELAY_FILE: delayFile,
    ...(isProxied && { TRUSTED_PROXIES: '127.0.0.0/8' }),
  };
  const nodeArgs = ['--import', path.join(root, 'scripts/bench/programs/loop-delay.ts')];
  const { ready, pid } = await startNode(bench, await packagedScript(), ['api'], { env, nodeArgs });
  const { integrationId, webhookSecret } = own;
  const target = {
    port: portOf(ready),
    integrationId,
    webhookSecret,
    forwarded: isProxied ? forwardedFor.others : undefined,
  };
  const stops = async (): Promise<Stops> => {
    await rm(delayFile, { force: true });
    process.kill(pid, 'SIGUSR2');
    const read = () => readFile(delayFile, 'utf8').catch(() => '');
    await waitUntil('the delays', async () => (await read()).endsWith('}'));
    return JSON.parse(await read()) as Stops;
  };
  for (let count = 0; count < 50; count += 1) await ping(target);
  await stops();
  return {
    target,
    attackedPath: `/api/import/${attacked.integrationId}`,
    targetsFile: file,
    stops,
    residentMebibytes: async () => {
      const status = await readFile(`/proc/${pid}/status`, 'utf8');
      return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
    },
  };
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
