import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '#platform/runtime/log.ts';
import { insertIntegration } from '#test/support/database/insert-integration.ts';
import { ageRows, countRows, readRows, updateRows } from '#test/support/database/rows.ts';
import { createTestDatabase } from '#test/support/database/test-database.ts';
import { startTasks } from '#test/support/product/start-tasks.ts';
import { makeGate } from '#test/support/waiting/gate.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { requestTasks } from './request-tasks.ts';
import { rescheduleTask, type OnConflict } from './store.ts';
import type { Task, TaskKind, Turn, TurnEnd } from './task.ts';

const database = await createTestDatabase();

interface Work {
  kind: string;
  handle(task: Task, turn: Turn): Promise<TurnEnd>;
}

async function startRunner(
  t: TestContext,
  { kind, handle }: Work,
  places: Partial<TaskKind> = {},
  lease?: { ms: number; renewEveryMs: number },
  log?: Log,
) {
  const usual = {
    quickPlaces: 2,
    slowPlaces: 2,
    perIntegration: 2,
    quickMs: 100,
    longestMs: 20_000,
    givesWay: true,
  };
  const planRetry = () => ({ waitMs: 60_000, error: 'It failed.' });
  await startTasks(
    t,
    database,
    [{ name: kind as TaskKind['name'], ...usual, handle, planRetry, ...places }],
    { ...(lease && { lease }), ...(log && { log }) },
  );
}

function request(
  integrationId: string,
  kind: string,
  keys: readonly string[],
  onConflict: OnConflict = 'scheduled',
): Promise<void> {
  return database.api.withScope({ integrationId }, (tx) =>
    requestTasks(tx, { integrationId, kind }, keys, onConflict),
  );
}

/** Hangs until the turn ends. */
const untilEnded = ({ signal }: Turn) =>
  new Promise<never>((_, reject) =>
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }),
  );

test('integrations whose turns hang leave quick places to a stranger, however many they are', async (t) => {
  const kind = 'hanging';
  const hostile = await Promise.all(Array.from({ length: 12 }, () => insertIntegration(database)));
  const stranger = await insertIntegration(database);
  for (const integrationId of hostile) await request(integrationId, kind, ['a', 'b', 'c']);
  const hung = new Set<string>();
  const done: string[] = [];
  await startRunner(t, {
    kind,
    handle: async ({ integrationId }, turn) => {
      if (integrationId !== stranger) {
        hung.add(integrationId);
        await untilEnded(turn);
      }
      done.push(integrationId);
      return 'done';
    },
  });
  await waitUntil('all to have hung', () => hung.size === hostile.length);
  for (const round of [1, 2, 3]) {
    const startedAt = performance.now();
    await request(stranger, kind, ['one']);
    await waitUntil('the stranger', () => done.length === round);
    assert.ok(performance.now() - startedAt < 1_000, 'the stranger waited for others');
  }
  assert.deepEqual(new Set(done), new Set([stranger]));
});

test('a turn that may not be repeated keeps its place until its end', async (t) => {
  const kind = 'kept';
  const integrations = await Promise.all(Array.from({ length: 4 }, () => insertIntegration(database)));
  for (const integrationId of integrations) await request(integrationId, kind, ['a']);
  const gate = makeGate();
  gate.close();
  let ended = 0;
  let turns = 0;
  const handle = async (_task: Task, { signal }: Turn): Promise<TurnEnd> => {
    turns += 1;
    await gate.passed();
    if (signal.aborted) ended += 1;
    return 'done';
  };
  await startRunner(t, { kind, handle }, { givesWay: false });
  await waitUntil('all to run', () => gate.waiting() === 4);
  await delay(150);
  gate.open();
  await waitUntil('all to be done', async () => (await countRows(database, 'tasks', { kind })) === 0);
  assert.deepEqual([ended, turns], [0, 4]);
});

test('turns that may not be repeated and hang leave quick places to a stranger, and none is ended', async (t) => {
  const kind = 'on-its-way';
  const hostile = await Promise.all(Array.from({ length: 4 }, () => insertIntegration(database)));
  const stranger = await insertIntegration(database);
  for (const integrationId of hostile) await request(integrationId, kind, ['a']);
  const gate = makeGate();
  gate.close();
  let ended = 0;
  const done: string[] = [];
  const handle = async ({ integrationId }: Task, { signal }: Turn): Promise<TurnEnd> => {
    if (integrationId !== stranger) await gate.passed();
    if (signal.aborted) ended += 1;
    done.push(integrationId);
    return 'done';
  };
  await startRunner(t, { kind, handle }, { givesWay: false });
  await waitUntil('all to hang', () => gate.waiting() === 4);
  await request(stranger, kind, ['one']);
  await waitUntil('the stranger', () => done.includes(stranger));
  assert.deepEqual(done, [stranger]);
  gate.open();
  await waitUntil('all to be done', async () => (await countRows(database, 'tasks', { kind })) === 0);
  assert.equal(ended, 0);
});

test('one task of another integration has its turn long before 10,000 that wait', async (t) => {
  const kind = 'flood';
  const [many, one] = [await insertIntegration(database), await insertIntegration(database)];
  const keys = Array.from({ length: 10_000 }, (_, nth) => String(nth));
  await request(many, kind, keys);
  let turns = 0;
  let turnsBefore: number | undefined;
  const handle = async ({ integrationId }: Task): Promise<TurnEnd> => {
    turns += 1;
    if (integrationId === one) turnsBefore ??= turns;
    return 'done';
  };
  for (let nth = 0; nth < 2; nth += 1) await startRunner(t, { kind, handle });
  await waitUntil('the first turns', () => turns > 0);
  const turnsAtRequest = turns;
  await request(one, kind, ['a']);
  const turnOfOne = await waitUntil('its turn', () => turnsBefore);
  assert.ok(turnOfOne - turnsAtRequest < 1_000, `${turnOfOne - turnsAtRequest} turns came before it`);
});

test('an integration has no more turns at once than its share', async (t) => {
  const kind = 'shared';
  const integrationId = await insertIntegration(database);
  await request(
    integrationId,
    kind,
    Array.from({ length: 9 }, (_, index) => String(index)),
  );
  let [current, most] = [0, 0];
  const handle = async (): Promise<TurnEnd> => {
    current += 1;
    most = Math.max(most, current);
    await delay(5);
    current -= 1;
    return 'done';
  };
  await startRunner(t, { kind, handle }, { quickPlaces: 8, perIntegration: 3 });
  await waitUntil('all to be done', async () => (await countRows(database, 'tasks', { kind })) === 0);
  assert.equal(most, 3);
});

test('a task that is requested during its turn has another one', async (t) => {
  const kind = 'requested';
  const integrationId = await insertIntegration(database);
  let turns = 0;
  await request(integrationId, kind, ['a']);
  await startRunner(t, {
    kind,
    handle: async () => {
      turns += 1;
      if (turns === 1) await request(integrationId, kind, ['a'], 'restart');
      return 'done';
    },
  });
  await waitUntil('the end', async () => turns === 2 && (await countRows(database, 'tasks', { kind })) === 0);
});

test('a turn that fails is repeated later, and its error is kept until then', async (t) => {
  const kind = 'failing';
  const integrationId = await insertIntegration(database);
  await request(integrationId, kind, ['a']);
  let fails = true;
  await startRunner(t, {
    kind,
    handle: async () => {
      if (fails) throw new Error('the server is down');
      return { again: null };
    },
  });
  const failed = { kind, failures: 1, error: 'It failed.', leased_until: null };
  await waitUntil('the failure', async () => (await countRows(database, 'tasks', failed)) === 1);
  const [row] = await readRows<{ due_at: Date; failing_since: Date }>(database, 'tasks', { kind });
  assert.ok(Math.abs(Number(row!.due_at) - Date.now() - 60_000) < 10_000);
  assert.ok(Math.abs(Number(row!.failing_since) - Date.now()) < 10_000);
  await ageRows(database, 'tasks.failing_since', '1 hour', { kind });
  await updateRows(database, 'tasks', { due_at: new Date() }, { kind });
  await waitUntil(
    'the next failure',
    async () => (await countRows(database, 'tasks', { kind, failures: 2 })) === 1,
  );
  const [again] = await readRows<{ failing_since: Date }>(database, 'tasks', { kind });
  assert.ok(Date.now() - Number(again!.failing_since) > 50 * 60_000, 'the first failure is forgotten');
  fails = false;
  await updateRows(database, 'tasks', { due_at: new Date() }, { kind });
  const idle = { kind, failures: 0, failing_since: null, error: null, due_at: null, leased_until: null };
  await waitUntil('the success', async () => (await countRows(database, 'tasks', idle)) === 1);
});

test('an integration whose turns always fail delays no other, and its failures are logged once', async (t) => {
  const kind = 'always-failing';
  const [failing, other] = [await insertIntegration(database), await insertIntegration(database)];
  const logged: object[] = [];
  const log = { warn: (facts: object) => void logged.push(facts), info: () => {} } as unknown as Log;
  const work = {
    kind,
    handle: async ({ integrationId }: Task): Promise<TurnEnd> => {
      if (integrationId === failing) throw new Error('it never works');
      return 'done';
    },
  };
  await request(
    failing,
    kind,
    Array.from({ length: 50 }, (_, nth) => String(nth)),
  );
  await startRunner(t, work, { planRetry: () => ({ waitMs: 1, error: 'It failed.' }) }, undefined, log);
  await request(other, kind, ['one']);
  await waitUntil(
    'the other',
    async () => (await countRows(database, 'tasks', { kind, integration_id: other })) === 0,
  );
  await waitUntil('all to have failed', async () => {
    const rows = await readRows<{ failures: number }>(database, 'tasks', { kind });
    return rows.every(({ failures }) => failures > 1);
  });
  assert.deepEqual(
    logged.map((facts) => ({ ...facts, err: undefined, key: undefined })),
    [{ kind, integrationId: failing, waitMs: 1, err: undefined, key: undefined }],
  );
});

test('a turn that reports an error counts as failed, and waits as long as it says', async (t) => {
  const kind = 'reporting';
  const integrationId = await insertIntegration(database);
  await request(integrationId, kind, ['a']);
  await startRunner(t, { kind, handle: async () => ({ again: 60_000, error: 'It was refused.' }) });
  const failed = { kind, failures: 1, error: 'It was refused.', leased_until: null };
  await waitUntil('the failure', async () => (await countRows(database, 'tasks', failed)) === 1);
  const [row] = await readRows<{ due_at: Date }>(database, 'tasks', { kind });
  assert.ok(Math.abs(Number(row!.due_at) - Date.now() - 60_000) < 10_000);
});

test('a turn that takes longer than its lease is not repeated by another process', async (t) => {
  const kind = 'long';
  const integrationId = await insertIntegration(database);
  await request(integrationId, kind, ['a']);
  const gate = makeGate();
  gate.close();
  let turns = 0;
  const handle = async (): Promise<TurnEnd> => {
    turns += 1;
    await gate.passed();
    return 'done';
  };
  for (let nth = 0; nth < 2; nth += 1)
    await startRunner(t, { kind, handle }, { givesWay: false }, { ms: 600, renewEveryMs: 100 });
  const leases = new Set<number>();
  await waitUntil('the lease to be kept, or taken over', async () => {
    const rows = await readRows<{ leased_until: Date }>(database, 'tasks', { kind });
    for (const { leased_until: until } of rows) leases.add(Number(until));
    return leases.size > 8;
  });
  gate.open();
  await waitUntil('the end', async () => (await countRows(database, 'tasks', { kind })) === 0);
  assert.equal(turns, 1);
});

test('the task of a process that died is continued when its lease ends', async (t) => {
  const kind = 'abandoned';
  const integrationId = await insertIntegration(database);
  await request(integrationId, kind, ['a']);
  const leased = new Date(Date.now() + 60_000);
  await updateRows(database, 'tasks', { due_at: leased, leased_until: leased }, { kind });
  let turns = 0;
  await startRunner(t, {
    kind,
    handle: async () => {
      turns += 1;
      return 'done';
    },
  });
  await request(integrationId, kind, ['a'], 'restart');
  await delay(300);
  assert.equal(turns, 0, 'two processes worked on one task');
  for (const column of ['leased_until', 'due_at'] as const)
    await ageRows(database, `tasks.${column}`, '61 seconds', { kind });
  await waitUntil('the turn', () => turns === 1);
});

test('a result does not undo what was stored about the task during its turn', async () => {
  const kind = 'stopped';
  const integrationId = await insertIntegration(database);
  await request(integrationId, kind, ['a']);
  const leased = new Date(Date.now() + 60_000);
  await updateRows(database, 'tasks', { due_at: null, leased_until: leased }, { kind });
  await database.worker.withScope({ integrationId }, (tx) =>
    rescheduleTask(tx, { integrationId, kind, key: 'a' }, 0, 'It failed.'),
  );
  const stopped = { kind, due_at: null, leased_until: null, failures: 0, error: null };
  assert.equal(await countRows(database, 'tasks', stopped), 1);
});
