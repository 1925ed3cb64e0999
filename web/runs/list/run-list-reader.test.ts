import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WorkflowRun, WorkflowRunPage } from '#contract/runs/runs.ts';
import type { RunList } from './run-list.ts';
import { RunListReader } from './run-list-reader.ts';
import { someRun } from '#test/support/data/some-run.ts';

const runAt = (runId: number, facts: Partial<WorkflowRun> = {}): WorkflowRun =>
  someRun({ runId, createdAt: new Date(Date.UTC(2026, 10, 20) + runId * 1000).toISOString(), ...facts });

const pageOf = (ids: number[], nextCursor: string | null, seq = 1): WorkflowRunPage => ({
  items: ids.map((id) => runAt(id)),
  nextCursor,
  stream: { epoch: 'e1', seq },
});

interface Request {
  cursor: string | undefined;
  answer(page: WorkflowRunPage): Promise<void>;
  fail(error: Error): Promise<void>;
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A reader with manually resolved requests. */
function setUp(options: { isComplete?: () => boolean } = {}) {
  const requests: Request[] = [];
  let list: RunList | undefined;
  const reader = new RunListReader({
    fetchPage: (cursor) =>
      new Promise((resolve, reject) => {
        requests.push({
          cursor,
          answer: (page) => (resolve(page), settled()),
          fail: (error) => (reject(error), settled()),
        });
      }),
    isComplete: options.isComplete ?? (() => true),
    matches: () => true,
    get: () => list,
    set: (next) => {
      list = next;
    },
  });
  reader.start();
  const next = (): Request => {
    const request = requests.shift();
    assert.ok(request, 'nothing is being read');
    return request;
  };
  const open = async (page: WorkflowRunPage): Promise<void> => {
    const reading = reader.readFirst(new AbortController().signal);
    await next().answer(page);
    list = await reading;
    reader.advance();
  };
  return { reader, requests, next, open, ids: () => list?.rows.map(({ runId }) => runId), list: () => list };
}

test('an update during the first request is in the list', async () => {
  const { reader, next } = setUp();
  const reading = reader.readFirst(new AbortController().signal);
  reader.apply([{ epoch: 'e1', seq: 2, run: runAt(3) }]);
  await next().answer(pageOf([2, 1], null, 1));
  assert.deepEqual(
    (await reading).rows.map(({ runId }) => runId),
    [3, 2, 1],
  );
});

test('an older pending update does not overwrite a newer page', async () => {
  const { reader, next } = setUp();
  const reading = reader.readFirst(new AbortController().signal);
  reader.apply([{ epoch: 'e1', seq: 2, run: runAt(2, { status: 'waiting' }) }]);
  await next().answer(pageOf([2, 1], null, 2));
  assert.equal((await reading).rows[0]?.status, 'queued');
});

test('further pages are read one at a time, when their rows come near', async () => {
  const { reader, requests, next, open, ids } = setUp();
  const newest = Array.from({ length: 100 }, (_, index) => 300 - index);
  await open(pageOf(newest, 'c1'));
  assert.equal(requests.length, 0);
  reader.look(50, 70);
  reader.look(50, 71);
  assert.deepEqual(
    requests.map(({ cursor }) => cursor),
    ['c1'],
  );
  await next().answer(pageOf([200, 199], null));
  assert.equal(ids()?.length, 102);
  assert.equal(requests.length, 0);
});

test('a page that fails is reported once and read on retry', async () => {
  const { reader, requests, next, open, ids } = setUp();
  await open(pageOf([5, 4], 'c1'));
  await next().fail(new Error('away'));
  assert.deepEqual(reader.state, {
    isReadingMore: false,
    isPaused: false,
    failure: { error: new Error('away'), isMore: true },
  });
  reader.look(0, 1);
  assert.equal(requests.length, 0);
  reader.retry();
  await next().answer(pageOf([3], null));
  assert.deepEqual(ids(), [5, 4, 3]);
  assert.equal(reader.state.failure, undefined);
});

test('reading pauses after ten pages with few matches, until a person asks for more', async () => {
  const { reader, requests, next, open, ids } = setUp();
  await open(pageOf([50], 'c1'));
  for (let page = 1; page <= 10; page++) await next().answer(pageOf([50 - page], `c${page + 1}`));
  assert.deepEqual([requests.length, reader.state.isPaused], [0, true]);
  reader.look(0, 1);
  assert.equal(requests.length, 0);
  reader.readOn();
  assert.equal(reader.state.isPaused, false);
  await next().answer(pageOf([3], null));
  assert.equal(ids()?.at(-1), 3);
});

test('lost updates cause a reload of visible rows, whatever the pending response contains', async () => {
  const { reader, next, open, ids, list } = setUp();
  await open(pageOf([5, 4], 'c1'));
  reader.resync();
  await next().answer(pageOf([3], null));
  assert.ok(list()?.pieces.every(({ isStale }) => isStale));
  await next().answer(pageOf([7, 6], 'c2', 9));
  assert.deepEqual(ids(), [7, 6, 5, 4, 3]);
});

test('lost updates cause a reload of an idle list', async () => {
  const { reader, requests, next, open, ids } = setUp();
  await open(pageOf([2, 1], null));
  assert.equal(requests.length, 0);
  reader.resync();
  await next().answer(pageOf([3, 2], null, 9));
  assert.deepEqual(ids(), [3, 2]);
});

test('a page from before the first received update is read again', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'] });
  let isComplete = false;
  const { reader, next, open, ids, requests } = setUp({ isComplete: () => isComplete });
  await open(pageOf([2, 1], null));
  isComplete = true;
  t.mock.timers.tick(1000);
  await next().answer(pageOf([3, 2, 1], null, 4));
  assert.deepEqual(ids(), [3, 2, 1]);
  reader.advance();
  assert.equal(requests.length, 0);
});

test('a stopped reader sends no requests', async () => {
  const { reader, requests, open } = setUp();
  const stop = reader.start();
  await open(
    pageOf(
      Array.from({ length: 100 }, (_, index) => 300 - index),
      'c1',
    ),
  );
  stop();
  reader.look(60, 99);
  assert.equal(requests.length, 0);
});
