import { attacks, type Attack } from '#test/support/attacks/attacks.ts';
import { forwardedFor, onlyDirect } from '#test/support/attacks/ping.ts';
import { startAttack } from '#test/support/attacks/start-attack.ts';
import { median } from '../pairs.ts';
import type { Bench, Budget, Result } from '../types.ts';
import { pingFor, startVictim, type Stops, type Victim } from '../victim.ts';
import { runMixed } from './p19-mixed.ts';

const mostTimes = 3;
const longestMs = 50;
/** Attacks that would begin later are left out. */
const mostMinutes = 10;

interface Round {
  name: string;
  alone: number;
  beside: number;
  stopsAlone: Stops;
  stops: Stops;
  resident: number;
}

const throughProxy = Object.keys(attacks).filter((name) => !onlyDirect.includes(name));
const count = Object.keys(attacks).length + throughProxy.length;

export const p19: Budget = {
  id: 'P19',
  what: "a stranger's signed webhook beside each attack of another client, against alone",
  run: async (bench) => {
    if (bench.isMixed) return runMixed(bench);
    const seconds = bench.isQuick ? 2 : 8;
    const end = performance.now() + mostMinutes * 60_000;
    const rounds: Round[] = [];
    for (const isProxied of [false, true]) {
      const victim = await startVictim(bench, isProxied);
      for (const name of isProxied ? throughProxy : Object.keys(attacks)) {
        const attack = attacks[name]?.(victim.attackedPath);
        if (attack === undefined || performance.now() > end) continue;
        const round = await measure(victim, attack, isProxied, seconds);
        rounds.push({ name: isProxied ? `${name} through a proxy` : name, ...round });
        sayRound(bench, rounds.at(-1));
      }
    }
    return [resultOf(rounds, seconds)];
  },
};

function sayRound(bench: Bench, round: Round | undefined): void {
  if (round === undefined) return;
  const { name, alone, beside, stops, stopsAlone, resident } = round;
  bench.say(
    `  ${name}: ${beside.toFixed(0)} against ${alone.toFixed(0)} ms, stop of ${stops.longest.toFixed(0)} against ${stopsAlone.longest.toFixed(0)} ms, ` +
      `${stops.mostComputed.toFixed(0)} against ${stopsAlone.mostComputed.toFixed(0)} ms of CPU in one turn, ${resident.toFixed(0)} MiB`,
  );
}

function resultOf(rounds: readonly Round[], seconds: number): Result {
  const ratios = rounds.map(({ alone, beside }) => beside / alone);
  const worst = Math.max(...ratios);
  const slowest = rounds[ratios.indexOf(worst)];
  const most = (read: (round: Round) => number): number => Math.max(...rounds.map(read));
  const longest = most(({ stops }) => stops.longest);
  const longestAlone = most(({ stopsAlone }) => stopsAlone.longest);
  const computed = most(({ stops }) => stops.mostComputed);
  const resident = most((round) => round.resident);
  return {
    id: p19.id,
    what: `${p19.what}: medians of the worst of ${rounds.length} attacks of ${count} (${slowest?.name}), longest stop of the event loop`,
    measured:
      `${worst.toFixed(2)} (median of all ${median(ratios).toFixed(2)}) and ${longest.toFixed(0)} ms; ${slowest?.beside.toFixed(0)} and ${slowest?.alone.toFixed(0)} ms, ` +
      `at most ${computed.toFixed(0)} ms of CPU in one turn, longest stop alone ${longestAlone.toFixed(0)} ms, at most ${resident.toFixed(0)} MiB`,
    budget: `≤ ${mostTimes.toFixed(2)} and ≤ ${longestMs} ms`,
    met: rounds.length === count && worst <= mostTimes && longest <= longestMs,
    figures: {
      ratio: worst,
      median: median(ratios),
      longest,
      longestAlone,
      computed,
      resident,
      attacks: rounds.length,
      seconds,
    },
  };
}

async function measure(
  { target, stops, residentMebibytes }: Victim,
  attack: Attack,
  isProxied: boolean,
  seconds: number,
): Promise<Omit<Round, 'name'>> {
  // What the attack before it left.
  await stops();
  const alone = median(await pingFor(target, seconds / 4));
  const stopsAlone = await stops();
  const running = await startAttack({
    port: target.port,
    // Other addresses of this machine exist on Linux.
    addresses: isProxied ? 0 : 1,
    ...(isProxied && { forwarded: forwardedFor.attacker }),
    attack,
    isElsewhere: true,
  });
  try {
    const beside = median(await pingFor(target, seconds));
    return { alone, beside, stopsAlone, stops: await stops(), resident: await residentMebibytes() };
  } finally {
    await running.stop();
  }
}
