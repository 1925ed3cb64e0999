import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runInThread, type Turn } from './run-in-thread.ts';

const turn: Turn = { lane: 'webhooks', owner: 'one' };

/** A module made of text, so that the tests need no files. */
const moduleOf = (code: string): URL => new URL(`data:text/javascript,${encodeURIComponent(code)}`);

test('tasks run with their input in the order of the calls', async () => {
  const task = moduleOf('let count = 0; export const task = (input) => `${input} ${count++}`');
  const answers = ['a', 'b', 'c'].map((input) => runInThread<string, string>(task, input, turn));
  assert.deepEqual(await Promise.all(answers), ['a 0', 'b 1', 'c 2']);
});

test('transferred buffers move to the thread and back', async () => {
  const bytes = new Uint8Array(1_000_000).fill(7);
  const task = moduleOf(
    'export const task = ({ bytes }) => ({ bytes, sum: bytes.reduce((a, b) => a + b, 0) })',
  );
  const answer = await runInThread<unknown, { bytes: Uint8Array; sum: number }>(
    task,
    { bytes },
    { ...turn, transfer: [bytes.buffer] },
  );
  assert.equal(bytes.length, 0);
  assert.deepEqual([answer.bytes.length, answer.sum], [1_000_000, 7_000_000]);
});

test('an error fails only its own task', async () => {
  const failing = runInThread(
    moduleOf('export const task = () => { throw new RangeError("no") }'),
    null,
    turn,
  );
  const next = runInThread(moduleOf('export const task = () => 1'), null, turn);
  await assert.rejects(failing, { name: 'RangeError', message: 'no' });
  assert.equal(await next, 1);
});

test('a thread that dies fails its task, and the next task gets a new thread', async () => {
  const ending = runInThread(
    moduleOf('export const task = () => { const kept = []; for (;;) kept.push(new Array(1e6).fill({})); }'),
    null,
    turn,
  );
  const next = runInThread(moduleOf('export const task = () => 1'), null, turn);
  await assert.rejects(ending, { code: 'ERR_WORKER_OUT_OF_MEMORY' });
  assert.equal(await next, 1);
});

test('the event loop continues while a task computes', async () => {
  const task = moduleOf(
    'export const task = (ms) => { const end = Date.now() + ms; while (Date.now() < end); return ms; }',
  );
  await runInThread(task, 0, turn);
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 5);
  await runInThread(task, 500, turn);
  clearInterval(timer);
  assert.ok(turns > 10, `${turns} turns`);
});

test('owners take turns, and a lane waits for no other one', async () => {
  const hold = moduleOf(
    'export const task = ({ gate, name }) => { if (gate) Atomics.wait(new Int32Array(gate), 0, 0); return name; }',
  );
  const gate = new SharedArrayBuffer(4);
  const ended: string[] = [];
  const run = async (name: string, on: Partial<Turn>, held?: SharedArrayBuffer): Promise<void> => {
    ended.push(await runInThread<unknown, string>(hold, { name, gate: held }, { ...turn, ...on }));
  };
  const busy = ['first', 'second', 'third', 'fourth'].map((name) =>
    run(name, { owner: 'busy' }, name === 'first' ? gate : undefined),
  );
  const stranger = run('of a stranger', { owner: 'stranger' });
  await run('a report', { lane: 'reports' });
  assert.deepEqual(ended, ['a report']);
  Atomics.store(new Int32Array(gate), 0, 1);
  Atomics.notify(new Int32Array(gate), 0);
  await Promise.all([...busy, stranger]);
  assert.deepEqual(ended, ['a report', 'first', 'second', 'of a stranger', 'third', 'fourth']);
});
