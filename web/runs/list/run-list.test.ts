import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { WorkflowRun, WorkflowRunPage } from '#contract/runs/runs.ts';
import { applyUpdates, markStale, maxRows, mergePage, stalePiece, type RunList } from './run-list.ts';
import { compareRuns } from './run-order.ts';
import { someRun } from '#test/support/data/some-run.ts';

const all = (): boolean => true;
const isQueued = (run: WorkflowRun): boolean => run.status === 'queued';
const isNoThird = (run: WorkflowRun): boolean => run.attempt % 3 !== 0;
const at = (second: number): string => new Date(Date.UTC(2026, 10, 20) + second * 1000).toISOString();
const runAt = (runId: number, second = runId, facts: Partial<WorkflowRun> = {}): WorkflowRun =>
  someRun({ runId, createdAt: at(second), ...facts });

/** A fake server that returns `limit` runs at a time. */
class Server {
  readonly limit: number;
  runs: WorkflowRun[] = [];
  seq = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  page(cursor?: string): WorkflowRunPage {
    const after = cursor === undefined ? undefined : (JSON.parse(cursor) as WorkflowRun);
    const rest = this.runs
      .filter((run) => after === undefined || compareRuns(run, after) > 0)
      .toSorted(compareRuns);
    const items = rest.slice(0, this.limit);
    const last = rest.length > this.limit ? items.at(-1) : undefined;
    const nextCursor = last ? JSON.stringify({ createdAt: last.createdAt, runId: last.runId }) : null;
    return { items, nextCursor, stream: { epoch: 'e1', seq: this.seq } };
  }

  put(run: WorkflowRun) {
    this.runs = [...this.runs.filter(({ runId }) => runId !== run.runId), run];
    this.seq += 1;
    return { epoch: 'e1', seq: this.seq, run };
  }
}

function readStale(server: Server, list: RunList): RunList {
  let current = list;
  for (let piece = stalePiece(current, 0, Infinity); piece; piece = stalePiece(current, 0, Infinity)) {
    current = mergePage(current, piece.cursor, server.page(piece.cursor));
  }
  return current;
}

const ids = (list: RunList): number[] => list.rows.map(({ runId }) => runId);

test('consecutive pages form one list', () => {
  const server = new Server(2);
  for (let id = 1; id <= 5; id += 1) server.put(runAt(id));
  let list = mergePage(undefined, undefined, server.page());
  while (list.nextCursor !== null) list = mergePage(list, list.nextCursor, server.page(list.nextCursor));
  assert.deepEqual(ids(list), [5, 4, 3, 2, 1]);
});

test('a new run is inserted, a changed run is updated, and other rows keep their identity', () => {
  const server = new Server(10);
  for (const id of [1, 2, 4]) server.put(runAt(id));
  const list = mergePage(undefined, undefined, server.page());
  const next = applyUpdates(
    list,
    [server.put(runAt(3)), server.put(runAt(2, 2, { status: 'in_progress' }))],
    all,
  );
  assert.deepEqual(ids(next), [4, 3, 2, 1]);
  assert.equal(next.rows[2]?.status, 'in_progress');
  assert.equal(next.rows[0], list.rows[0]);
  assert.equal(next.rows[3], list.rows[2]);
});

test('known data does not change the list', () => {
  const server = new Server(10);
  const update = server.put(runAt(1));
  server.put(runAt(1, 1, { status: 'completed' }));
  const list = mergePage(undefined, undefined, server.page());
  assert.equal(applyUpdates(list, [update], all), list);
});

test('a run that stops matching leaves, and one that starts matching enters', () => {
  const server = new Server(10);
  for (const id of [1, 2]) server.put(runAt(id));
  const list = mergePage(undefined, undefined, server.page());
  const left = applyUpdates(list, [server.put(runAt(2, 2, { status: 'completed' }))], isQueued);
  assert.deepEqual(ids(left), [1]);
  assert.deepEqual(ids(applyUpdates(left, [server.put(runAt(2))], isQueued)), [2, 1]);
});

test('a run beyond the loaded part is not added', () => {
  const server = new Server(2);
  for (const id of [2, 3, 4]) server.put(runAt(id));
  const list = mergePage(undefined, undefined, server.page());
  assert.equal(applyUpdates(list, [server.put(runAt(1))], all), list);
});

test('a run with a corrected creation time moves', () => {
  const server = new Server(10);
  for (const id of [1, 2, 3]) server.put(runAt(id));
  const list = mergePage(undefined, undefined, server.page());
  assert.deepEqual(ids(applyUpdates(list, [server.put(runAt(1, 5))], all)), [1, 3, 2]);
});

test('a run that moved up is listed once', () => {
  const server = new Server(2);
  for (const id of [1, 2, 3, 4]) server.put(runAt(id));
  const first = mergePage(undefined, undefined, server.page());
  const list = mergePage(first, first.nextCursor ?? undefined, server.page(first.nextCursor ?? undefined));
  server.put(runAt(1, 9));
  assert.deepEqual(ids(mergePage(list, undefined, server.page())), [1, 4, 3, 2]);
});

test('a piece is read again when only the server can decide', () => {
  const server = new Server(10);
  server.put(runAt(1));
  const list = mergePage(undefined, undefined, server.page());
  const next = applyUpdates(list, [server.put(runAt(2))], () => undefined);
  assert.deepEqual(ids(next), [1]);
  assert.deepEqual(stalePiece(next, 0, 0), { cursor: undefined });
  assert.deepEqual(ids(readStale(server, next)), [2, 1]);
});

test('a stale piece is read again also when all its rows have left', () => {
  const server = new Server(1);
  for (const id of [1, 2]) server.put(runAt(id));
  const list = mergePage(undefined, undefined, server.page());
  const older = mergePage(list, list.nextCursor ?? undefined, server.page(list.nextCursor ?? undefined));
  const left = applyUpdates(older, [server.put(runAt(2))], () => false);
  assert.deepEqual(ids(left), [1]);
  assert.deepEqual(ids(readStale(server, markStale(left))), [2, 1]);
});

test('lost updates reload only visible pieces and leave no gaps', () => {
  const server = new Server(3);
  for (let id = 1; id <= 9; id += 1) server.put(runAt(id));
  let list = mergePage(undefined, undefined, server.page());
  while (list.nextCursor !== null) list = mergePage(list, list.nextCursor, server.page(list.nextCursor));
  for (let id = 10; id <= 14; id += 1) server.put(runAt(id));
  list = mergePage(markStale(list), undefined, server.page());
  assert.deepEqual(ids(list).slice(0, 4), [14, 13, 12, 9]);
  assert.equal(stalePiece(list, 0, 2), undefined);
  assert.deepEqual(ids(readStale(server, list)), [14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
});

test('a page that stays open for days keeps a bounded number of rows', () => {
  const server = new Server(100);
  server.put(runAt(1));
  const list = mergePage(undefined, undefined, server.page());
  const updates = Array.from({ length: maxRows + 5 }, (_, index) => ({
    epoch: 'e1',
    seq: index + 2,
    run: runAt(index + 2),
  }));
  const next = applyUpdates(list, updates, all);
  assert.equal(next.rows.length, maxRows);
  assert.equal(next.rows[0]?.runId, maxRows + 6);
  assert.deepEqual([next.isTruncated, next.nextCursor], [true, null]);
  assert.equal(applyUpdates(next, [{ epoch: 'e1', seq: 1_000_000, run: runAt(1, 1) }], all), next);
});

test('any order of changes, losses and delayed pages ends in the state of the server', () => {
  const step = fc.oneof(
    { weight: 5, arbitrary: fc.record({ kind: fc.constant('put'), id: fc.integer({ min: 1, max: 25 }) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('lose'), id: fc.integer({ min: 1, max: 25 }) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('ask'), id: fc.integer({ min: 0, max: 5 }) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('answer'), id: fc.constant(0) }) },
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 50 }), fc.integer({ min: 1, max: 4 }), (steps, limit) => {
      const server = new Server(limit);
      let attempt = 0;
      let list = mergePage(undefined, undefined, server.page());
      let asked: { cursor: string | undefined; page: WorkflowRunPage; during: typeof changes } | undefined;
      let changes: ReturnType<Server['put']>[] = [];
      const listed = (): Server => {
        const shown = new Server(limit);
        shown.runs = server.runs.filter(isNoThird);
        shown.seq = server.seq;
        return shown;
      };
      for (const { kind, id } of steps) {
        if (kind === 'put' || kind === 'lose') {
          attempt += 1;
          const update = server.put(runAt(id, Math.ceil(id / 2), { attempt }));
          if (kind === 'lose') list = markStale(list);
          else {
            asked?.during.push(update);
            list = applyUpdates(list, [update], isNoThird);
          }
        } else if (kind === 'ask') {
          const cursors = [...list.pieces.map(({ cursor }) => cursor), list.nextCursor ?? undefined];
          const cursor = cursors[id % cursors.length];
          asked = { cursor, page: listed().page(cursor), during: [] };
        } else if (asked) {
          const { cursor, page, during } = asked;
          const isBehind = list.pieces.some(({ isStale }) => isStale);
          list = applyUpdates(mergePage(list, cursor, page), during, isNoThird);
          // The socket reported a loss in the meantime, so the page may be outdated.
          if (isBehind) list = markStale(list);
          asked = undefined;
        }
      }
      list = readStale(listed(), list);
      while (list.nextCursor !== null)
        list = mergePage(list, list.nextCursor, listed().page(list.nextCursor));
      assert.deepEqual(list.rows, server.runs.filter(isNoThird).toSorted(compareRuns));
    }),
    { numRuns: 500 },
  );
});
