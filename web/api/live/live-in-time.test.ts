import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { Cursors } from '#contract/runs/realtime.ts';
import { LiveUpdates } from './live-updates.ts';

const followed = '0198e7a0-0000-7000-8000-000000000001';
const other = '0198e7a0-0000-7000-8000-000000000002';

/** A fake connection: real ones cannot be stopped while the clock is mocked. */
class Line extends EventTarget {
  readonly readyState = WebSocket.OPEN;
  readonly said: object[] = [];
  isClosed = false;

  send(text: string): void {
    this.said.push(JSON.parse(text) as object);
  }

  close(): void {
    this.isClosed = true;
  }

  hear(message: object): void {
    this.dispatchEvent(new MessageEvent('message', { data: JSON.stringify(message) }));
  }

  hello(cursors: Cursors = { [followed]: { epoch: 'e1', seq: 7 } }): void {
    this.hear({ v: 1, type: 'hello', cursors });
  }

  update(seq: number): void {
    const data = { runId: seq };
    this.hear({ v: 1, type: 'workflow_run', integrationId: followed, epoch: 'e1', seq, at: '', data });
  }

  drop(code: number): void {
    this.dispatchEvent(new CloseEvent('close', { code }));
  }
}

/** Live updates with a mocked clock, fake connections and the longest possible delays. */
async function setUp(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'] });
  const lines: Line[] = [];
  const seqs: number[] = [];
  let resyncs = 0;
  let isVisible = true;
  const live = new LiveUpdates({
    fetchToken: async () => ({ token: 'token', expiresAt: '', url: 'ws://host/ws' }),
    openSocket: () => {
      const line = new Line();
      lines.push(line);
      return line as unknown as WebSocket;
    },
    random: () => 1,
    isOnline: () => true,
    isVisible: () => isVisible,
    nextFrame: (run) => run(),
    onMembershipsChanged: () => {},
    onRevoked: () => {},
  });
  t.after(
    live.listen(followed, {
      onUpdates: (updates) => seqs.push(...updates.map(({ seq }) => seq)),
      onResync: () => (resyncs += 1),
    }),
  );
  const pass = async (ms: number): Promise<void> => {
    t.mock.timers.tick(ms);
    await new Promise((resolve) => setImmediate(resolve));
  };
  const line = (): Line => lines.at(-1)!;
  await pass(0);
  const show = (isShown: boolean): void => {
    isVisible = isShown;
    live.surroundingsChanged(isShown ? 'visible' : 'hidden');
  };
  return { live, lines, line, pass, seqs, show, resyncs: () => resyncs };
}

test('a dead connection is dropped and a quiet one is kept', async (t) => {
  const { live, line, pass } = await setUp(t);
  line().hello();
  await pass(20_000);
  assert.deepEqual(line().said, [{ type: 'ping' }]);
  line().hear({ v: 1, type: 'pong' });
  await pass(10_000);
  assert.equal(live.state, 'live');
  await pass(10_000);
  await pass(10_000);
  assert.equal(live.state, 'reconnecting');
  assert.equal(line().isClosed, true);
});

test('delays double with each lost connection and start over after one that lasted', async (t) => {
  const { lines, line, pass } = await setUp(t);
  for (const waitMs of [500, 1000, 2000]) {
    line().hello();
    line().drop(1006);
    await pass(waitMs - 1);
    const before = lines.length;
    await pass(1);
    assert.equal(lines.length, before + 1, String(waitMs));
  }
  line().hello();
  await pass(15_000);
  line().update(8);
  await pass(15_000);
  line().drop(1006);
  await pass(500);
  assert.equal(lines.length, 5);
});

test('a page that is hidden during the delay does not connect', async (t) => {
  const { live, lines, line, pass } = await setUp(t);
  line().hello();
  line().drop(1006);
  live.surroundingsChanged('hidden');
  await pass(60_000);
  assert.equal(lines.length, 1);
  live.surroundingsChanged('visible');
  await pass(0);
  assert.equal(lines.length, 2);
});

test('a reconnect requests only followed streams, and a missing replay causes a reload', async (t) => {
  const { line, pass, resyncs, seqs } = await setUp(t);
  const at = (seq: number): Cursors => ({
    [followed]: { epoch: 'e1', seq },
    [other]: { epoch: 'e1', seq },
  });
  line().hello(at(7));
  line().drop(1012);
  await pass(5000);
  line().hello(at(9));
  assert.deepEqual(line().said, [{ type: 'resume', cursors: { [followed]: { epoch: 'e1', seq: 7 } } }]);
  await pass(4999);
  assert.equal(resyncs(), 0);
  await pass(1);
  assert.equal(resyncs(), 1);
  line().update(12);
  assert.deepEqual(seqs, [12]);
});

test('a page without a socket place reloads its data every 30 seconds until it gets one', async (t) => {
  const { live, lines, line, pass, resyncs } = await setUp(t);
  line().drop(4430);
  assert.deepEqual([live.state, resyncs()], ['crowded', 1]);
  await pass(30_000);
  assert.equal(lines.length, 2);
  line().drop(4430);
  assert.deepEqual([live.state, resyncs()], ['crowded', 2]);
  await pass(30_000);
  line().hello();
  assert.equal(live.state, 'live');
});

test('a page that is hidden for five minutes frees its place and misses nothing on return', async (t) => {
  const { live, lines, line, pass, show } = await setUp(t);
  line().hello();
  show(false);
  await pass(299_000);
  // Responses of the server, without which the connection would count as dead.
  line().hear({ v: 1, type: 'pong' });
  assert.equal(line().isClosed, false);
  await pass(1_000);
  assert.equal(line().isClosed, true);
  await pass(600_000);
  assert.equal(lines.length, 1, 'nothing is tried while nobody looks');
  show(true);
  await pass(0);
  line().hello({ [followed]: { epoch: 'e1', seq: 9 } });
  assert.equal(live.state, 'live');
  assert.deepEqual(line().said, [{ type: 'resume', cursors: { [followed]: { epoch: 'e1', seq: 7 } } }]);
});

test('a page that becomes visible soon keeps its place', async (t) => {
  const { line, pass, show } = await setUp(t);
  line().hello();
  show(false);
  await pass(200_000);
  line().hear({ v: 1, type: 'pong' });
  show(true);
  line().hear({ v: 1, type: 'pong' });
  await pass(100_000);
  assert.equal(line().isClosed, false);
});
