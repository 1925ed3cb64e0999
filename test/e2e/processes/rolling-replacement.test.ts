import assert from 'node:assert/strict';
import path from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import { realtimePolicy } from '#server/realtime/policy.ts';
import { makeTokens } from '#server/realtime/handshake/ws-token.ts';
import { encodeEvent, type EncodedEvent } from '#server/simulate/post/encode-event.ts';
import type { SimulatedEvent } from '#server/simulate/event.ts';
import { createSimulator } from '#server/simulate/simulator.ts';
import { expectedRows, storedRows } from '#test/support/data/reading/stored-rows.ts';
import { readRows } from '#test/support/database/rows.ts';
import { createTestDatabase, testMasterKey } from '#test/support/database/test-database.ts';
import { startBalancer } from '#test/support/network/balancer.ts';
import { productEnv } from '#test/support/product/product-env.ts';
import { runProduct, startProduct, type ProductProcess } from '#test/support/product/product-process.ts';
import { makeTemporaryDirectory } from '#test/support/product/temporary-directory.ts';
import { untilQueueIsIdle } from '#test/support/queue/idle-queue.ts';
import { makeFollowingClient } from '#test/support/realtime/following-client.ts';
import { makeMember } from '#test/support/team/people.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const [database, oracle] = [await createTestDatabase(), await createTestDatabase()];
const directory = await makeTemporaryDirectory();
const balancer = await startBalancer();
const env = {
  ...productEnv(database.url, path.join(directory, 'data')),
  PUBLIC_URL: balancer.url,
  TRUSTED_PROXIES: '127.0.0.1/32',
};

const start = async (verb: 'api' | 'worker'): Promise<ProductProcess> => {
  const started = await startProduct(verb, env);
  after(() => started.kill());
  if (verb === 'api') await balancer.add(started.ready);
  return started;
};

test('under load every process is replaced, nothing is lost, and no client has to try more than twice', async () => {
  const roles = ['api', 'api', 'worker'] as const;
  const running = await Promise.all(roles.map(start));
  const { integrationId, webhookSecret } = JSON.parse(
    (await runProduct(['integration', 'create', '--label', 'Rolling'], env)).stdout,
  ) as { integrationId: string; webhookSecret: string };
  const { client, endings } = await follow(integrationId);
  const traffic = startTraffic(integrationId, webhookSecret);

  for (const [at, role] of roles.entries()) {
    const before = traffic.accepted();
    const old = running[at]!;
    running[at] = await start(role);
    assert.equal(await old.stop(), 0);
    balancer.remove(old.ready);
    await waitUntil('webhooks after the replacement', () => traffic.accepted() > before + 100);
  }
  const events = await traffic.end();
  assert.deepEqual(traffic.refusals, []);

  await untilQueueIsIdle(database);
  assert.deepEqual(await readRows(database, 'dead_letter'), []);
  assert.deepEqual(
    await storedRows(database, integrationId),
    await expectedRows(oracle, integrationId, events),
  );
  const [stream] = await readRows<{ seq: string }>(database, 'realtime_stream', {
    integration_id: integrationId,
  });
  await waitUntil('the last update', () => client.position?.seq === Number(stream!.seq));
  const numbers = client.applied;
  assert.deepEqual(
    numbers,
    numbers.map((_, at) => at + numbers[0]!),
    'an update was left out',
  );
  assert.equal(client.refetches, 1, 'the screen was read again instead of being continued');
  assert.ok(
    client.opens >= 2 && new Set(endings).size === 1 && endings[0] === 1012,
    `it ended with ${endings}`,
  );
});

/** A screen: it opens its socket again whenever a process that stops closes it. */
async function follow(integrationId: string) {
  const userId = await makeMember(database, [integrationId]);
  const tokens = makeTokens({ keys: [testMasterKey], audience: balancer.url, policy: realtimePolicy });
  const [stream] = await readRows<{ epoch: string; seq: string }>(database, 'realtime_stream', {
    integration_id: integrationId,
  });
  const client = makeFollowingClient(integrationId, async () => ({
    epoch: stream!.epoch,
    seq: Number(stream!.seq),
    runs: new Map(),
  }));
  const endings: number[] = [];
  const open = async (): Promise<void> => {
    const grant = { userId, sessionId: 'test', integrationIds: [integrationId], now: Date.now() };
    const { token } = tokens.mint(grant);
    await client.open(`${balancer.url.replace('http', 'ws')}/ws?token=${token}&channel=workflows`);
    void client.closed.then((code) => {
      endings.push(code);
      return code === 1012 ? open() : undefined;
    });
  };
  await open();
  after(() => client.close());
  return { client, endings };
}

/** Sends webhooks on connections that stay open, until `end`. A request that fails is repeated once. */
function startTraffic(integrationId: string, secret: string) {
  const stream = createSimulator({ seed: 'rolling', startAt: new Date() }).stream({ rate: 5 });
  const pool = new Pool(balancer.url, { connections: 8 });
  after(() => pool.destroy());
  const events: SimulatedEvent[] = [];
  const refusals: string[] = [];
  const ending = new AbortController();
  let accepted = 0;
  const ask = async ({ headers, body }: EncodedEvent, through = pool): Promise<string> => {
    const request = { method: 'POST', path: `/api/import/${integrationId}`, headers, body } as const;
    const answer = await through
      .request(request)
      .catch((error: Error & { code?: string }) => error.code ?? 'error');
    if (typeof answer === 'string') return answer;
    await answer.body.dump();
    return String(answer.statusCode);
  };
  /** On a new connection: another open one may lead to the same process, which ends. */
  const askAgain = async (event: EncodedEvent): Promise<string> => {
    const fresh = new Pool(balancer.url, { connections: 1 });
    try {
      return await ask(event, fresh);
    } finally {
      await fresh.close();
    }
  };
  const send = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      const event = stream.next().value;
      events.push(event);
      const request = encodeEvent(event, { secret });
      const answers = [await ask(request)];
      if (answers[0] !== '200') answers.push(await askAgain(request));
      if (answers.at(-1) === '200') accepted += 1;
      else refusals.push(answers.join(', then '));
      await delay(20);
    }
  };
  const sending = Promise.all(Array.from({ length: 4 }, send));
  return {
    refusals,
    accepted: () => accepted,
    end: async () => {
      ending.abort();
      await sending;
      return events;
    },
  };
}
