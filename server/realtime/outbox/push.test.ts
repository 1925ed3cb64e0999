import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { pino } from 'pino';
import { openDatabase } from '#platform/database/database.ts';
import { makeListener } from '#platform/database/listener.ts';
import { createTestDatabase } from '#test/support/database/test-database.ts';
import { runOf } from '#test/support/realtime/realtime-world.ts';
import { removals, type CommittedUpdate } from './append-updates.ts';
import { channel, pointerPayloads } from './channel.ts';
import { makePush } from './push.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const database = await createTestDatabase();
const silent = pino({ level: 'silent' });

function messagesOf(integrationId: string, ...seqs: number[]): CommittedUpdate[] {
  return seqs.map((seq) => ({
    v: 1,
    type: 'workflow_run',
    integrationId,
    epoch: 'e',
    seq,
    at: new Date().toISOString(),
    data: runOf(integrationId, seq),
    [removals]: 0,
  }));
}

async function listen(): Promise<{
  payloads: string[];
  pointers(): Map<string, number>;
  stop(): Promise<void>;
}> {
  const payloads: string[] = [];
  const listener = makeListener({ connectionString: database.url }, silent);
  listener.on(channel, (payload) => payloads.push(payload));
  await listener.start();
  return {
    payloads,
    pointers: () =>
      new Map(
        payloads
          .flatMap((payload) => payload.split(','))
          .map((pointer) => [pointer.slice(0, 36), Number(pointer.slice(37))]),
      ),
    stop: () => listener.stop(),
  };
}

test('a published update reaches another process as a pointer to the latest of each integration', async () => {
  const heard = await listen();
  const push = makePush({ db: database.worker, log: silent });
  const [a, b] = [randomUUID(), randomUUID()];
  push.publish(messagesOf(a, 1, 2, 3));
  push.publish([...messagesOf(b, 7), ...messagesOf(a, 4)]);
  push.publish([]);
  await waitUntil('both pointers', () => heard.pointers().get(a) === 4 && heard.pointers().get(b) === 7);
  await push.stop();
  await heard.stop();
});

test('a burst shares few notifications, none longer than Postgres takes', async () => {
  const heard = await listen();
  const push = makePush({ db: database.worker, log: silent });
  const ids = Array.from({ length: 1_000 }, () => randomUUID());
  for (const id of ids) push.publish(messagesOf(id, 123_456_789));
  await push.stop();
  await waitUntil('all pointers', () => heard.pointers().size === 1_000);
  assert.ok(heard.payloads.length <= 8, `${heard.payloads.length} notifications`);
  assert.ok(heard.payloads.every((payload) => payload.length <= 7_900));
  await heard.stop();
});

test('payloads are cut at the limit and lose nothing', () => {
  const latest = new Map(Array.from({ length: 100 }, (_, index) => [randomUUID(), 10 ** (index % 12)]));
  const payloads = pointerPayloads(latest, 200);
  assert.ok(payloads.every((payload) => payload.length <= 200));
  assert.deepEqual(
    payloads.join(',').split(','),
    [...latest].map(([id, seq]) => `${id}:${seq}`),
  );
  assert.deepEqual(pointerPayloads(new Map(), 200), []);
});

test('this process is notified first, and others only while there are any', async () => {
  const heard = await listen();
  const delivered: CommittedUpdate[] = [];
  let isOnlyNode = true;
  const node = {
    deliver: (messages: readonly CommittedUpdate[]) => void delivered.push(...messages),
    isOnlyNode: () => isOnlyNode,
  };
  const push = makePush({ db: database.worker, log: silent, node });
  const id = randomUUID();
  push.publish(messagesOf(id, 1));
  assert.deepEqual(
    delivered.map(({ seq }) => seq),
    [1],
  );
  isOnlyNode = false;
  push.publish(messagesOf(id, 2));
  await push.stop();
  await waitUntil('the second pointer', () => heard.pointers().get(id) === 2);
  assert.equal(heard.payloads.length, 1);
  await heard.stop();
});

test('a failure to push is a warning, never an error of the caller', async () => {
  let text = '';
  const log = pino(
    { level: 'warn' },
    new Writable({ write: (chunk, _encoding, done) => ((text += chunk), done()) }),
  );
  const gone = openDatabase({
    connection: { host: '127.0.0.1', port: 1, user: 'nobody', database: 'none' },
    maxConnections: 1,
    onIdleError: () => {},
  });
  const push = makePush({
    db: gone,
    log,
    node: {
      deliver: () => {
        throw new Error('hub failed');
      },
      isOnlyNode: () => false,
    },
  });
  push.publish(messagesOf(randomUUID(), 1));
  await push.stop();
  assert.match(text, /hub failed/);
  assert.match(text, /live update notification failed/);
  await gone.close();
});
