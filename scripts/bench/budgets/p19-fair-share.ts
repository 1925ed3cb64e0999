import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { attacks, type Attack } from '#test/support/attacks/attacks.ts';
import { forwardedFor, onlyDirect, ping, type PingTarget } from '#test/support/attacks/ping.ts';
import { startAttack } from '#test/support/attacks/start-attack.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { startNode, root } from '../children.ts';
import { portOf, productEnv, productScript } from '../product.ts';
import { median } from '../pairs.ts';
import { prepareTargets } from '../targets.ts';
import type { Bench, Budget } from '../types.ts';

const mostTimes = 3;
const longestMs = 50;
const minutes = 10;

interface Round {
  name: string;
  alone: number;
  beside: number;
}

export const p19: Budget = {
  id: 'P19',
  what: "a stranger's signed webhook beside each attack of another client, against alone",
  run: async (bench) => {
    const seconds = bench.isQuick ? 2 : (minutes * 60) / (2 * Object.keys(attacks).length);
    const rounds: Round[] = [];
    const stops: number[] = [];
    const memory: number[] = [];
    for (const isProxied of [false, true]) {
      const product = await startVictim(bench, isProxied);
      for (const [name, attackOn] of Object.entries(attacks)) {
        if (isProxied && onlyDirect.includes(name)) continue;
        const attack = attackOn(`/api/import/${product.attacked}`);
        const round = await measure(product.target, attack, isProxied, seconds);
        stops.push(await product.longestStop());
        memory.push(await residentMebibytes(product.pid));
        rounds.push({ name: isProxied ? `${name} through a proxy` : name, ...round });
        bench.say(
          `  ${name}: ${round.beside.toFixed(0)} against ${round.alone.toFixed(0)} ms, stop of ${stops.at(-1)?.toFixed(0)} ms, ${memory.at(-1)?.toFixed(0)} MiB`,
        );
      }
    }
    const ratios = rounds.map(({ alone, beside }) => beside / alone);
    const worst = Math.max(...ratios);
    const slowest = rounds[ratios.indexOf(worst)];
    const longest = Math.max(...stops);
    const resident = Math.max(...memory);
    return [
      {
        id: p19.id,
        what: `${p19.what}: medians of the worst of ${rounds.length} attacks (${slowest?.name}), longest stop of the event loop`,
        measured: `${worst.toFixed(2)} (median of all ${median(ratios).toFixed(2)}) and ${longest.toFixed(0)} ms; ${slowest?.beside.toFixed(0)} and ${slowest?.alone.toFixed(0)} ms, at most ${resident.toFixed(0)} MiB`,
        budget: `≤ ${mostTimes.toFixed(2)} and ≤ ${longestMs} ms`,
        met: worst <= mostTimes && longest <= longestMs,
        figures: { ratio: worst, median: median(ratios), longest, resident, attacks: rounds.length, seconds },
      },
    ];
  },
};

interface Victim {
  pid: number;
  target: PingTarget;
  /** The integration whose webhook URL the attacker knows. */
  attacked: string;
  /** Of the event loop since the last call. */
  longestStop(): Promise<number>;
}

async function startVictim(bench: Bench, isProxied: boolean): Promise<Victim> {
  const name = isProxied ? 'fair-proxied' : 'fair';
  const { databaseUrl, integrations } = await prepareTargets(bench, name.replace('-', '_'), 2);
  const [own, attacked] = integrations;
  if (own === undefined || attacked === undefined) throw new Error('no integrations');
  const delayFile = path.join(bench.directory, `${name}.json`);
  const env = {
    ...productEnv(bench, `${name}-data`, databaseUrl),
    BENCH_DELAY_FILE: delayFile,
    ...(isProxied && { TRUSTED_PROXIES: '127.0.0.0/8' }),
  };
  const nodeArgs = ['--import', path.join(root, 'scripts/bench/programs/loop-delay.ts')];
  const { ready, pid } = await startNode(bench, productScript, ['api'], { env, nodeArgs });
  const { integrationId, webhookSecret } = own;
  const target = {
    port: portOf(ready),
    integrationId,
    webhookSecret,
    forwarded: isProxied ? forwardedFor.others : undefined,
  };
  const longestStop = async (): Promise<number> => {
    await rm(delayFile, { force: true });
    process.kill(pid, 'SIGUSR2');
    const read = () => readFile(delayFile, 'utf8').catch(() => '');
    await waitUntil('the delays', async () => (await read()).endsWith('}'));
    return (JSON.parse(await read()) as { longest: number }).longest;
  };
  for (let count = 0; count < 50; count += 1) await ping(target);
  await longestStop();
  return { pid, target, attacked: attacked.integrationId, longestStop };
}

async function measure(
  target: PingTarget,
  attack: Attack,
  isProxied: boolean,
  seconds: number,
): Promise<Omit<Round, 'name'>> {
  const alone = await pingFor(target, seconds / 4);
  const running = await startAttack({
    port: target.port,
    // Other addresses of this machine exist on Linux.
    addresses: isProxied ? 0 : 1,
    ...(isProxied && { forwarded: forwardedFor.attacker }),
    attack,
  });
  try {
    return { alone, beside: await pingFor(target, seconds) };
  } finally {
    await running.stop();
  }
}

/** The median of pings, one after the other with a pause. */
async function pingFor(target: PingTarget, seconds: number): Promise<number> {
  const times: number[] = [];
  const end = performance.now() + seconds * 1000;
  while (times.length < 5 || performance.now() < end) {
    const from = performance.now();
    await ping(target);
    times.push(performance.now() - from);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return median(times);
}

async function residentMebibytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}
