import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test, type TestContext } from 'node:test';
import pino from 'pino';
import { integrationId, runPayload } from '#test/support/data/forge-events.ts';
import { createTestQueue } from '#test/support/queue/test-queue.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { makeAppWorker } from '#server/forge-app/app-work.ts';
import { buildWebhookMessage } from '#server/queue/messages/message.ts';
import { makeWorker } from './worker.ts';
import { storedRuns } from '#test/support/data/reading/stored-runs.ts';
import { countRows } from '#test/support/database/rows.ts';

const { database, queue } = await createTestQueue();
const { worker: db, asOwner } = database;

const log = pino({ level: 'silent' });
/** Attempts to store a batch. Each is the last one of its claim. */
let attempts = 0;

/** More often than a message may be out whose workers die. */
async function untilGivenUpOften(): Promise<void> {
  const enough = attempts + 5;
  await waitUntil('the worker to have given up', () => attempts >= enough);
}

/** What inserting a run raises, by its id; those left out are stored. */
async function raise(states: Record<number, string>): Promise<void> {
  await asOwner(`create or replace function raise_states() returns trigger language plpgsql as $$
    declare state text := '${JSON.stringify(states)}'::jsonb ->> new.run_id::text;
    begin
      if state is not null then raise exception 'raised' using errcode = state; end if;
      return new;
    end $$`);
}

await raise({});
await asOwner(
  'create trigger raise_states before insert on workflow_runs for each row execute function raise_states()',
);

async function send(runId: number, groupId = integrationId): Promise<void> {
  const event = { eventType: 'workflow_run', deliveryId: `run ${runId}`, receivedAt: new Date() };
  const payload = Buffer.from(JSON.stringify(runPayload({ id: runId })));
  const body = buildWebhookMessage({ ...event, integrationId: groupId, payload });
  await queue.send({ groupId, deduplicationId: event.deliveryId, body });
}

/** Its time for a batch is over as soon as the batch was tried once, however long that took. */
async function startWorker(t: TestContext): Promise<void> {
  const timeoutMs = 30_000;
  let now = 0;
  const worker = makeWorker({
    db,
    queue,
    log,
    clock: () => now,
    concurrency: 1,
    timeoutMs,
    inTransaction: () => {
      now += timeoutMs;
      attempts += 1;
    },
    appWorker: makeAppWorker({ db, role: 'member' }),
    loadLargePayload: async () => undefined,
    afterCommit: () => {},
    count: () => {},
  });
  t.after(() => worker.stop());
  await worker.start();
}

const untilStored = (runId: number, groupId = integrationId) =>
  waitUntil(`run ${runId} to be stored`, async () =>
    (await storedRuns(database, groupId)).some((run) => run.runId === runId),
  );

const diskFull = '53100';
const tookTooLong = '57014';
const checkViolation = '23514';

test('a full disk is no fault of a message: what was taken meanwhile is stored once there is room', async (t) => {
  await raise({ 1: diskFull });
  await send(1);
  await startWorker(t);
  await untilGivenUpOften();
  await raise({});
  await untilStored(1);
  assert.deepEqual(await queue.deadLetters.list(), []);
});

test('nor is it while messages are stored one by one, as one of them is refused', async (t) => {
  await raise({ 2: checkViolation, 3: diskFull });
  await send(2);
  await send(3);
  await startWorker(t);
  await untilGivenUpOften();
  await raise({ 2: checkViolation });
  await untilStored(3);
  const deadLetters = await queue.deadLetters.list();
  assert.deepEqual(
    deadLetters.map(({ reason, detail }) => [reason, detail]),
    [['refused_by_store', 'SQLSTATE 23514']],
  );
});

test('a message that takes too long stays leased until its lease ends, and others go on', async (t) => {
  await raise({ 4: tookTooLong });
  await send(4);
  const enough = attempts + 1;
  await startWorker(t);
  await waitUntil('the worker to have given up', () => attempts >= enough);
  const other = randomUUID();
  await send(5, other);
  await untilStored(5, other);
  assert.equal((await queue.depth()).inFlight, 1);
});

test('a webhook of the application that cannot be stored becomes a dead letter alone', async (t) => {
  await asOwner(`alter table forge_installations add constraint no_seven check (installation_id <> 7)`);
  for (const installationId of ['7', '8']) {
    const account = { id: 1, login: 'octo-org', type: 'Organization' };
    const payload = { action: 'created', installation: { id: Number(installationId), account } };
    const body = buildWebhookMessage({
      installationId,
      eventType: 'installation',
      deliveryId: installationId,
      receivedAt: new Date(),
      payload: Buffer.from(JSON.stringify(payload)),
    });
    await queue.send({ groupId: `forge-app:${installationId}`, deduplicationId: installationId, body });
  }
  await startWorker(t);
  const [deadLetter] = await waitUntil('the letter', async () => {
    const deadLetters = await queue.deadLetters.list({ groupId: 'forge-app:7' });
    return deadLetters.length > 0 && deadLetters;
  });
  assert.equal(deadLetter?.reason, 'refused_by_store');
  assert.equal(await countRows(database, 'forge_installations', { installation_id: 8 }), 1);
  assert.equal(await countRows(database, 'forge_installations'), 1);
});
