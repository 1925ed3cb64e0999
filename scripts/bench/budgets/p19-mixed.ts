import { setTimeout as sleep } from 'node:timers/promises';
import { attacks, type Attack } from '#test/support/attacks/attacks.ts';
import { startAttack } from '#test/support/attacks/start-attack.ts';
import { flatnessOf, largestRatio } from '../flatness.ts';
import { startLoad, type LoadSummary } from '../load.ts';
import { median } from '../pairs.ts';
import type { Bench, Result } from '../types.ts';
import { pingFor, startVictim, type Stops, type Victim } from '../victim.ts';

const mostTimes = 3;
const longestMs = 50;
const minutes = 10;
const atOnce = 2;
const addresses = 4;
/** Webhooks of 10 KB a second on open connections. */
const rate = 20;

/** What others notice. */
interface Measured extends Stops {
  /** The median of webhooks on new connections. */
  ping: number;
  webhooks: LoadSummary;
}

/** Attacks of all kinds in random order, beside signed webhooks of others. */
export async function runMixed(bench: Bench): Promise<Result[]> {
  const victim = await startVictim(bench, false);
  const load = await startLoad(bench, victim.targetsFile);
  const measure = async (seconds: number): Promise<Measured> => {
    const [pings, webhooks] = await Promise.all([
      pingFor(victim.target, seconds),
      load.runAnyway({ port: victim.target.port, seconds, connections: 8, rate }),
    ]);
    return { ping: median(pings), webhooks, ...(await victim.stops()) };
  };
  const seconds = bench.isQuick ? 20 : minutes * 60;
  const alone = await measure(Math.min(30, seconds / 2));
  const end = performance.now() + seconds * 1000;
  const kinds = inRounds(Object.values(attacks));
  const [beside, memory, ...counts] = await Promise.all([
    measure(seconds),
    readMemory(victim, end),
    ...Array.from({ length: atOnce }, () => attackUntil(end, kinds, victim)),
  ]);
  const count = counts.reduce((sum, each) => sum + each, 0);
  return [resultOf(alone, beside, memory, count)];
}

/** Each round has all of them in another order, so that each third of the time has the same attacks. */
function* inRounds<T>(all: readonly T[]): Generator<T, never> {
  for (;;) {
    const left = [...all];
    while (left.length > 0) yield* left.splice(Math.floor(Math.random() * left.length), 1);
  }
}

/** Makes one attack after the other, each for 5 to 10 seconds. Returns their number. */
async function attackUntil(
  end: number,
  kinds: Generator<(path: string) => Attack, never>,
  { target, attackedPath }: Victim,
): Promise<number> {
  let count = 0;
  for (; performance.now() < end; count += 1) {
    const attack = kinds.next().value(attackedPath);
    const running = await startAttack({ port: target.port, addresses, attack, isElsewhere: true });
    await sleep(Math.min(5000 + 5000 * Math.random(), end - performance.now()));
    await running.stop();
  }
  return count;
}

/** Reads the memory once a second. */
async function readMemory({ residentMebibytes }: Victim, end: number): Promise<number[]> {
  const memory: number[] = [];
  while (performance.now() < end) {
    memory.push(await residentMebibytes());
    await sleep(1000);
  }
  return memory;
}

function resultOf(alone: Measured, beside: Measured, memory: readonly number[], count: number): Result {
  const open = beside.webhooks;
  const growth = flatnessOf(memory.slice(Math.ceil(memory.length / 10)));
  const ratio = Math.max(beside.ping / alone.ping, open.p50 / alone.webhooks.p50);
  const resident = Math.max(...memory);
  return {
    id: 'P19 mixed',
    what:
      `${count} attacks in random order, ${atOnce} at once from ${addresses} addresses: signed webhooks on new and on open connections, medians against alone, ` +
      'longest stop of the event loop, memory of the last third against the first',
    measured:
      `${ratio.toFixed(2)}, ${beside.longest.toFixed(0)} ms and ${growth.ratio.toFixed(2)}; ` +
      `new ${beside.ping.toFixed(1)} and ${alone.ping.toFixed(1)} ms, open ${open.p50.toFixed(1)} and ${alone.webhooks.p50.toFixed(1)} ms, ${open.failed} of ${open.answered} failed, ` +
      `at most ${beside.mostComputed.toFixed(0)} ms of CPU in one turn, longest stop alone ${alone.longest.toFixed(0)} ms, of an idle process beside it ${beside.longestIdle.toFixed(0)}, ` +
      `${growth.first.toFixed(0)} to ${growth.last.toFixed(0)} MiB, at most ${resident.toFixed(0)}`,
    budget: `≤ ${mostTimes.toFixed(2)}, ≤ ${longestMs} ms and ≤ ${largestRatio.toFixed(2)}`,
    met:
      ratio <= mostTimes && beside.longest <= longestMs && growth.ratio <= largestRatio && open.failed === 0,
    figures: {
      ratio,
      longest: beside.longest,
      longestAlone: alone.longest,
      longestIdle: beside.longestIdle,
      computed: beside.mostComputed,
      growth: growth.ratio,
      ping: beside.ping,
      pingAlone: alone.ping,
      p50: open.p50,
      p50Alone: alone.webhooks.p50,
      p99: open.p99,
      p99Alone: alone.webhooks.p99,
      failed: open.failed,
      resident,
      attacks: count,
    },
  };
}
