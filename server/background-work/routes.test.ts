import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BackgroundTask } from '#contract/integrations/tasks.ts';
import { minuteMs } from '#platform/runtime/time-units.ts';
import { readRows, countRows } from '#test/support/database/rows.ts';
import { insertInstallation } from '#test/support/forge/insert-installation.ts';
import { insertTask } from '#test/support/forge/insert-task.ts';
import { startTeamProduct, type Team } from '#test/support/team/team.ts';

const product = await startTeamProduct();
const { database, newTeam } = product;

async function read({ admin, path }: Team, query = ''): Promise<BackgroundTask[]> {
  const { status, body } = await admin.call('GET', path(`/tasks${query}`));
  assert.equal(status, 200, JSON.stringify(body));
  return body.items as unknown as BackgroundTask[];
}

const keysOf = (tasks: readonly BackgroundTask[]): string[] => tasks.map(({ kind }) => kind);

/** One task of each state, inserted in another order than they are listed. */
async function insertEach({ integrationId }: Team) {
  const insert = (task: Parameters<typeof insertTask>[2]) => insertTask(database, integrationId, task);
  return {
    scheduled: await insert({ kind: 'forge-unfinished', key: '77', dueInMs: 5 * minuteMs }),
    running: await insert({ kind: 'forge-history', key: '77', dueInMs: minuteMs, leasedForMs: minuteMs }),
    waiting: await insert({ kind: 'forge-webhooks', key: '77', dueInMs: -minuteMs }),
    failing: await insert({
      kind: 'forge-logs',
      key: 'token',
      dueInMs: 10 * minuteMs,
      failures: 3,
      failingForMs: 60 * minuteMs,
      error: 'The forge refused the request (403).',
    }),
  };
}

test('tasks are listed with state, cause and next turn, and the longest trouble comes first', async () => {
  const team = await newTeam();
  await insertInstallation(database, 77, [team.integrationId]);
  const ids = await insertEach(team);
  const tasks = await read(team);
  assert.deepEqual(
    tasks.map(({ taskId, state }) => [taskId, state]),
    [
      [ids.failing, 'scheduled'],
      [ids.waiting, 'waiting'],
      [ids.running, 'running'],
      [ids.scheduled, 'scheduled'],
    ],
  );
  const [failing, waiting, running, scheduled] = tasks;
  assert.deepEqual(
    [failing!.title, failing!.failures, failing!.error, failing!.subject],
    ['Read logs of failed jobs', 3, 'The forge refused the request (403).', null],
  );
  const minutesTo = (time: string | null): number | null =>
    time === null ? null : Math.round((Date.parse(time) - Date.now()) / minuteMs);
  assert.deepEqual(
    [failing, waiting, running, scheduled].map((task) => [minutesTo(task!.since), minutesTo(task!.nextAt)]),
    [
      [-60, 10],
      [-1, -1],
      [null, null],
      [null, 5],
    ],
  );
  assert.equal(waiting!.subject, 'acme');
  assert.deepEqual(
    tasks.map(({ dropNote }) => dropNote !== null),
    [true, false, false, false],
  );
});

test('a filter of kinds or states shows its tasks only, and pages hold each task once', async () => {
  const team = await newTeam();
  await insertEach(team);
  assert.deepEqual(keysOf(await read(team, '?state=failing')), ['forge-logs']);
  assert.deepEqual(keysOf(await read(team, '?state=running,waiting')), ['forge-webhooks', 'forge-history']);
  assert.deepEqual(keysOf(await read(team, '?kind=forge-history,forge-unfinished&state=scheduled')), [
    'forge-unfinished',
  ]);
  const paged: string[] = [];
  let cursor: string | null = null;
  do {
    const page = await team.admin.call(
      'GET',
      team.path(`/tasks?limit=1${cursor === null ? '' : `&cursor=${cursor}`}`),
    );
    paged.push(...keysOf(page.body.items as unknown as BackgroundTask[]));
    cursor = page.body.nextCursor;
  } while (cursor !== null);
  assert.deepEqual(paged, keysOf(await read(team)));
  for (const query of ['?state=broken', '?kind=nothing', '?cursor=x', '?limit=0']) {
    const { status, body } = await team.admin.call('GET', team.path(`/tasks${query}`));
    assert.deepEqual([status, body.code], [400, 'invalid_request'], query);
  }
});

test('a task without work is not listed, and of another integration neither', async () => {
  const [team, other] = [await newTeam(), await newTeam()];
  await insertEach(other);
  await insertTask(database, team.integrationId, { kind: 'forge-logs', key: '1' });
  await database.asOwner(`update tasks set due_at = null where integration_id = '${team.integrationId}'`);
  assert.deepEqual(await read(team), []);
});

test('a retry makes the given or all failing tasks due and keeps their count of failures', async () => {
  const team = await newTeam();
  const ids = await insertEach(team);
  const dueNow = async (): Promise<string[]> => {
    const rows = await readRows<{ task_id: string; due_at: Date }>(database, 'tasks', {
      integration_id: team.integrationId,
    });
    return rows.filter(({ due_at: at }) => at.getTime() <= Date.now()).map(({ task_id: id }) => id);
  };
  const retry = async (body: object): Promise<unknown> => {
    const answer = await team.admin.call('POST', team.path('/tasks/retry'), body);
    assert.equal(answer.status, 200);
    return answer.body['retried'];
  };
  assert.equal(await retry({}), 1);
  assert.deepEqual(new Set(await dueNow()), new Set([ids.waiting, ids.failing]));
  assert.equal((await read(team, '?state=failing'))[0]!.failures, 3);
  assert.equal(await retry({ taskIds: [ids.scheduled, ids.running] }), 1, 'a running task is left out');
  assert.deepEqual(new Set(await dueNow()), new Set([ids.waiting, ids.failing, ids.scheduled]));
  const entries = await product.entries(team.integrationId);
  assert.deepEqual(
    entries.filter(({ type }) => type === 'tasks.retried').map(({ title, actorId }) => [title, actorId]),
    Array.from({ length: 2 }, () => ['1 background task was retried', team.admin.userId]),
  );
  assert.equal(await retry({ taskIds: ['00000000-0000-4000-8000-000000000009'] }), 0);
});

test('a retry of the webhooks of a receiver sends its first one at once', async () => {
  const team = await newTeam();
  const { integrationId } = team;
  const created = await team.admin.call('POST', team.path('/webhook-subscriptions'), {
    name: 'Chat bot',
    url: 'https://hooks.example.com/in',
    eventTypes: ['run.completed'],
  });
  assert.equal(created.status, 201, JSON.stringify(created.body));
  const receiverId = String(created.body['subscriptionId']);
  await database.asOwner(
    `insert into outgoing_webhooks (integration_id, receiver_id, receiver_kind, event_type, status, next_attempt_at)
     values ($1, $2, 'subscription', 'run.completed', 'waiting', now() + interval '1 hour')`,
    [integrationId, receiverId],
  );
  await insertTask(database, integrationId, {
    kind: 'outgoing-webhooks',
    key: receiverId,
    dueInMs: 60 * minuteMs,
    failures: 4,
  });
  assert.deepEqual(
    (await read(team)).map(({ title, subject }) => [title, subject]),
    [['Send webhooks to a receiver', 'Chat bot']],
  );
  assert.equal((await team.admin.call('POST', team.path('/tasks/retry'), {})).body['retried'], 1);
  const [webhook] = await readRows<{ next_attempt_at: Date }>(database, 'outgoing_webhooks', {
    integration_id: integrationId,
  });
  assert.ok(webhook!.next_attempt_at.getTime() <= Date.now());
});

test('only a resting task is dropped whose work is requested again', async () => {
  const team = await newTeam();
  const ids = await insertEach(team);
  const drop = async (taskId: string) => {
    const { status, body } = await team.admin.call('DELETE', team.path(`/tasks/${taskId}`));
    return [status, body.code];
  };
  assert.deepEqual(await drop(ids.scheduled), [409, 'task_not_droppable']);
  const leased = await insertTask(database, team.integrationId, {
    kind: 'forge-logs',
    key: '78',
    leasedForMs: minuteMs,
  });
  assert.deepEqual(await drop(leased), [409, 'task_running']);
  assert.equal(await countRows(database, 'tasks', { integration_id: team.integrationId }), 5);
  assert.deepEqual(await drop(ids.failing), [204, undefined]);
  assert.deepEqual(await drop(ids.failing), [404, 'not_found']);
  assert.equal(await countRows(database, 'tasks', { task_id: ids.failing }), 0);
  const dropped = (await product.entries(team.integrationId)).filter(({ type }) => type === 'tasks.dropped');
  assert.deepEqual(
    dropped.map(({ title, actorId }) => [title, actorId]),
    [['A background task was dropped: Read logs of failed jobs', team.admin.userId]],
  );
});
