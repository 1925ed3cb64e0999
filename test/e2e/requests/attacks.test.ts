import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attacks } from '#test/support/attacks/attacks.ts';
import { forwardedFor, onlyDirect, ping } from '#test/support/attacks/ping.ts';
import { startAttack } from '#test/support/attacks/start-attack.ts';
import { startTeamProduct } from '#test/support/team/team.ts';

const direct = await startTeamProduct({ LOG_LEVEL: 'warn' }, ['api', 'worker']);
const proxied = await startTeamProduct({ LOG_LEVEL: 'warn', TRUSTED_PROXIES: '127.0.0.0/8' }, ['api']);

type Product = typeof direct;
type Team = Awaited<ReturnType<Product['newTeam']>>;

const portOf = ({ baseUrl }: Product): number => Number(new URL(baseUrl).port);
const cpuMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

/**
 * What this thread computes while a signed ping is under way, which is how long the ping takes on an idle machine. The attacker, the
 * product and the tests beside this one share the processors.
 */
async function costOfPing(product: Product, team: Team): Promise<number> {
  const before = cpuMs();
  await ping({
    ...team,
    port: portOf(product),
    forwarded: product === proxied ? forwardedFor.others : undefined,
  });
  return cpuMs() - before;
}

async function costsOf(product: Product, team: Team, count: number): Promise<number[]> {
  const costs: number[] = [];
  while (costs.length < count) costs.push(await costOfPing(product, team));
  return costs.sort((a, b) => a - b);
}

/** Of twelve, three may be higher: collections of garbage, and what shares the caches of the processor. */
const highOf = (sorted: readonly number[]): number => sorted.at(-4) ?? 0;

const mostMs = 250;
/** Other addresses of this machine exist on Linux without further ado. */
const addresses = process.platform === 'linux' ? 1 : 0;

const throughProxy = Object.fromEntries(
  Object.entries(attacks).filter(([name]) => !onlyDirect.includes(name)),
);

for (const [where, product, kinds] of [
  ['directly', direct, attacks],
  ['through a proxy', proxied, throughProxy],
] as const)
  for (const [name, attackOn] of Object.entries(kinds))
    test(`signed webhooks that arrive ${where} are accepted beside ${name}, and as fast as before when they end`, async (t) => {
      assert.ok(attackOn);
      const [victim, team] = [await product.newTeam(), await product.newTeam()];
      const quiet = (await costsOf(product, team, 5)).at(2) ?? 0;
      const attack = await startAttack({
        port: portOf(product),
        // A proxy has one address.
        ...(product === proxied ? { addresses: 0, forwarded: forwardedFor.attacker } : { addresses }),
        attack: attackOn(`/api/import/${victim.integrationId}`),
      });
      t.after(() => attack.stop());
      let beside = Infinity;
      // While the product waits for a processor, more of the attack collects. Such a measurement is made again.
      for (let tries = 0; tries < 3 && beside > mostMs; tries += 1)
        beside = highOf(await costsOf(product, team, 12));
      t.diagnostic(`${Math.round(beside)} ms beside it, ${Math.round(quiet)} ms alone`);
      assert.ok(beside <= mostMs, `${Math.round(beside)} ms, ${Math.round(quiet)} ms alone`);
      await attack.stop();
      const from = cpuMs();
      while ((await costOfPing(product, team)) > Math.max(50, 5 * quiet))
        assert.ok(cpuMs() - from < 1000, 'slow for a second after it');
    });
