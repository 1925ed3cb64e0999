import { forgeAppEnv, startForgeApi } from '#test/support/forge/forge-api-server.ts';
import { integrationRows } from '#test/support/database/integration-rows.ts';
import { startTeamProduct, type TeamProduct } from '#test/support/team/team.ts';
import { watchLoop } from '#test/support/waiting/loop-watch.ts';
import { untilQueueIsIdle } from '#test/support/queue/idle-queue.ts';
import type { Health, Questions, World } from '../target.ts';
import { readRoutes } from './read-routes.ts';
import { makeCanary, makeWorld, type MadeWorld } from './make-world.ts';

/** Why a message may die when its sender is to blame. Everything else is a mistake of ours. */
const sendersFaults = [
  'invalid_payload',
  'invalid_message',
  'invalid_json',
  'unsupported_event',
  'payload_too_complex',
];

const applicationSecret = 'the webhook secret of the application';

/** The product on a real Postgres behind real HTTP, with both roles in this process, and what a driver may ask of it. */
export async function startFuzzedProduct(): Promise<Questions> {
  const forge = await startForgeApi();
  const product = await startTeamProduct(
    {
      ...forgeAppEnv(forge),
      FORGE_APP_WEBHOOK_SECRET: applicationSecret,
      API_REQUESTS_PER_MINUTE: '1000000',
      TRUSTED_PROXIES: '127.0.0.1/32',
      LOG_LEVEL: 'error',
    },
    ['api', 'worker'],
  );
  const { database, program, provider, publicUrl, baseUrl } = product;
  const canary = await makeCanary(product);
  const watch = watchLoop();
  let made: MadeWorld | undefined;
  const seen = { logged: 0, deadLetters: new Set<string>() };

  const health = async (): Promise<Health> => {
    const blockedMs = watch.longestMs();
    const text = product.logged();
    const errors = text
      .slice(seen.logged)
      .split('\n')
      .filter((line) => line !== '');
    seen.logged = text.length;
    const { rss, heapUsed } = process.memoryUsage();
    const deadLetters = await newDeadLetters(product, seen.deadLetters);
    return { blockedMs, rssMb: rss / 2 ** 20, heapMb: heapUsed / 2 ** 20, errors, deadLetters };
  };

  return {
    health,
    surroundings: async () => ({
      baseUrl,
      applicationSecret,
      routes: await readRoutes(program.routes, baseUrl),
      redirectOrigins: [publicUrl, provider.issuer, forge.url].map((url) => new URL(url).origin),
      forbidden: [...canary.texts, forge.privateKey.slice(40, 90), provider.clientSecret, database.url],
    }),
    world: async (): Promise<World> => {
      made = await makeWorld(product, canary, made);
      watch.longestMs();
      return made.world;
    },
    settled: async () => {
      await untilQueueIsIdle(database);
      return health();
    },
    digest: async () => JSON.stringify(await integrationRows(database, made?.world.integrationId ?? '')),
    socketToken: async (who) => {
      const { body } = await made!.people[who].call('GET', '/api/auth/ws-token');
      return String(body['token'] ?? '');
    },
  };
}

async function newDeadLetters({ database }: TeamProduct, seen: Set<string>): Promise<string[]> {
  const rows = await database.asOwner<{ message_id: string; reason: string; detail: string | null }>(
    // Without a body: what the examples of the routes put there, which nothing can read.
    `select message_id, reason, detail from dead_letter where reason <> all ($1) and body <> ''`,
    [sendersFaults],
  );
  const fresh = rows.filter(({ message_id }) => !seen.has(message_id));
  for (const { message_id } of fresh) seen.add(message_id);
  return fresh.map(({ reason, detail }) => `${reason} ${detail ?? ''}`);
}
