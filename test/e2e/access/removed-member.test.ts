import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, test } from 'node:test';
import { WebSocket } from 'ws';
import type { UpdateMessage } from '#contract/runs/realtime.ts';
import { freePort } from '#platform/runtime/processes/free-port.ts';
import { makeSealer } from '#platform/runtime/secrets/sealing.ts';
import { createIntegration } from '#server/integrations/create-integration.ts';
import { realtimePolicy } from '#server/realtime/policy.ts';
import { makeTokens } from '#server/realtime/handshake/ws-token.ts';
import { startPosting } from '#server/simulate/post/post-events.ts';
import { simulatedEvents } from '#test/support/data/simulated-events.ts';
import { removeMember } from '#test/support/realtime/membership-changes.ts';
import { productEnv } from '#test/support/product/product-env.ts';
import { startProduct } from '#test/support/product/product-process.ts';
import {
  createTestDatabase,
  testMasterKey,
  type TestDatabase,
} from '#test/support/database/test-database.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { addToTeam, makeMember } from '#test/support/team/people.ts';
import { isQueueIdle } from '#test/support/queue/idle-queue.ts';
import { makeTemporaryDirectory } from '#test/support/product/temporary-directory.ts';
import { readStreamPosition } from '#server/realtime/outbox/read-position.ts';

const eventCount = 1_000;
const removeAfter = 400;

for (const [name, verbs] of [
  ['one process', ['serve']],
  ['two processes', ['api', 'worker']],
] as const) {
  test(`a member who is removed during a burst of 1,000 webhooks gets nothing committed after it: ${name}`, async () => {
    const database = await createTestDatabase();
    const baseUrl = await start(database, verbs);
    const leaver = await makeMember(database, []);
    const { integrationId, webhookSecret } = await createIntegration(
      { db: database.api, sealer: makeSealer([testMasterKey]) },
      { label: 'Burst', ownerId: await makeMember(database, []) },
    );
    const stayer = await makeMember(database, [integrationId]);
    await addToTeam(database, integrationId, leaver, 'admin');
    const [gone, stays] = await Promise.all([
      follow(baseUrl, leaver, integrationId),
      follow(baseUrl, stayer, integrationId),
    ]);

    let accepted = 0;
    const posting = startPosting({
      baseUrl,
      integrationId,
      secret: webhookSecret,
      events: simulatedEvents('removed', eventCount),
      rate: 2_000,
      concurrency: 32,
      giveUpAfterMs: 30_000,
      onAccepted: () => (accepted += 1),
    });
    await waitUntil('the burst to be under way', () => accepted >= removeAfter && stays.seqs.length > 0);
    const last = await removeMember(database, leaver, integrationId);
    await posting.done;
    assert.equal(await gone.closed, 4403);
    const total = await waitUntil('all updates at who stays', async () => {
      const { seq } = await database.api.withScope({ integrationId }, (tx) =>
        readStreamPosition(tx, integrationId),
      );
      return (await isQueueIdle(database)) && stays.seqs.at(-1) === seq && seq;
    });
    assert.ok(last > 0 && last < total, `removed after ${last} of ${total}`);
    assert.equal(stays.seqs.length, total);
    assert.ok((gone.seqs.at(-1) ?? 0) <= last, `got ${gone.seqs.at(-1)} after ${last}`);
    stays.ws.terminate();
  });
}

async function start(database: TestDatabase, verbs: readonly string[]): Promise<string> {
  const dataDir = await makeTemporaryDirectory();
  const port = await freePort();
  const env = {
    ...productEnv(database.url, dataDir),
    PORT: String(port),
    PUBLIC_URL: `http://localhost:${port}`,
  };
  const processes = await Promise.all(verbs.map((verb) => startProduct(verb, env)));
  after(() => Promise.all(processes.map((each) => each.kill())));
  return env.PUBLIC_URL;
}

async function follow(baseUrl: string, userId: string, integrationId: string) {
  const tokens = makeTokens({ keys: [testMasterKey], audience: baseUrl, policy: realtimePolicy });
  const { token } = tokens.mint({
    userId,
    sessionId: 'test',
    integrationIds: [integrationId],
    now: Date.now(),
  });
  const ws = new WebSocket(`${baseUrl.replace('http', 'ws')}/ws?token=${token}&channel=workflows`);
  const seqs: number[] = [];
  ws.on('message', (data) => seqs.push((JSON.parse(String(data)) as UpdateMessage).seq));
  const closed = once(ws, 'close').then(([code]) => code as number);
  await once(ws, 'open');
  return { ws, seqs, closed };
}
