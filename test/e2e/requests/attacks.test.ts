import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { attacks } from '#test/support/attacks/attacks.ts';
import { signature } from '#test/support/forge/post-webhook.ts';
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

/** On a new connection. */
async function ping(product: Product, { integrationId, webhookSecret }: Team): Promise<void> {
  const body = JSON.stringify({ zen: 'x' });
  const head = [
    `POST /api/import/${integrationId} HTTP/1.1`,
    'Host: localhost',
    'Connection: close',
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    'X-GitHub-Event: ping',
    `X-GitHub-Delivery: ${randomUUID()}`,
    `X-Hub-Signature-256: ${signature(webhookSecret, body)}`,
    ...(product === proxied ? ['X-Forwarded-For: 203.0.113.1'] : []),
  ];
  const socket = connect(portOf(product), '127.0.0.1');
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  const answer = await text(socket);
  if (!answer.startsWith('HTTP/1.1 200 '))
    throw new Error(`the ping was refused: ${answer.split('\r\n\r\n').at(1)}`);
}

/**
 * What this thread computes while a signed ping is under way, which is how long the ping takes on an idle machine. The attacker, the
 * product and the tests beside this one share the processors.
 */
async function costOfPing(product: Product, team: Team): Promise<number> {
  const before = cpuMs();
  await ping(product, team);
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

/** The kernel hands over new connections in their order, so thousands that end at once delay others. A proxy opens few. */
const { 'aborted bodies': _, ...attacksThroughProxy } = attacks;

for (const [where, product, kinds] of [
  ['directly', direct, attacks],
  ['through a proxy', proxied, attacksThroughProxy],
] as const)
  for (const [name, attackOn] of Object.entries(kinds))
    test(`signed webhooks that arrive ${where} are accepted beside ${name}, and as fast as before when they end`, async (t) => {
      assert.ok(attackOn);
      const [victim, team] = [await product.newTeam(), await product.newTeam()];
      const quiet = (await costsOf(product, team, 5)).at(2) ?? 0;
      const attack = await startAttack({
        port: portOf(product),
        // A proxy has one address.
        ...(product === proxied
          ? { addresses: 0, forwarded: 'X-Forwarded-For: 203.0.113.2\r\n' }
          : { addresses }),
        attack: attackOn(`/api/import/${victim.integrationId}`),
      });
      t.after(() => attack.stop());
      const beside = highOf(await costsOf(product, team, 12));
      t.diagnostic(`${Math.round(beside)} ms beside it, ${Math.round(quiet)} ms alone`);
      assert.ok(beside <= mostMs, `${Math.round(beside)} ms, ${Math.round(quiet)} ms alone`);
      await attack.stop();
      const from = cpuMs();
      while ((await costOfPing(product, team)) > Math.max(50, 5 * quiet))
        assert.ok(cpuMs() - from < 1000, 'slow for a second after it');
    });
