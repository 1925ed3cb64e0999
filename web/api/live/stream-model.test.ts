import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { StreamPositions } from './stream-positions.ts';

/**
 * A client that follows one stream over a network that loses connections, repeats and reorders. Whatever happens, what it shows at the end
 * is what the server has: every update was applied in order, or the client was told to read everything again.
 */

const id = 'i1';

class Server {
  epoch = 1;
  seq = 0;

  get cursor(): { epoch: string; seq: number } {
    return { epoch: `e${this.epoch}`, seq: this.seq };
  }
}

class Client {
  readonly positions = new StreamPositions();
  /** The update that the screen shows: what it read, and what was applied since. */
  shown = { epoch: '', seq: 0 };
  /** Applied sequence numbers since the last read. */
  applied: number[] = [];

  /** Reads the list at the server's position, again if updates are missing. */
  read({ cursor }: Server): void {
    for (;;) {
      this.shown = cursor;
      this.applied = [];
      if (this.positions.isComplete(id, cursor)) return;
      this.positions.forget(id);
    }
  }

  receive(server: Server, update: { epoch: string; seq: number }): void {
    const verdict = this.positions.verdict({ integrationId: id, ...update });
    if (verdict === 'ignore') return;
    this.applied.push(update.seq);
    if (verdict === 'gap') this.resync(server);
    else if (update.epoch === this.shown.epoch)
      this.shown = { ...update, seq: Math.max(update.seq, this.shown.seq) };
    else this.shown = update;
  }

  resync(server: Server): void {
    this.positions.forget(id);
    this.read(server);
  }

  connect(server: Server): void {
    const { resume, lost } = this.positions.connected({ [id]: server.cursor });
    if (lost.length > 0) this.resync(server);
    const from = resume[id];
    if (from === undefined) return;
    for (let seq = from.seq + 1; seq <= server.seq; seq++) this.receive(server, { epoch: from.epoch, seq });
    assert.deepEqual(this.positions.replaying(), [], 'a replay ends with its last update');
  }
}

type Step = 'publish' | 'publish unseen' | 'repeat' | 'reconnect' | 'restart' | 'read';
const steps = fc.array(
  fc.constantFrom<Step>(
    'publish',
    'publish',
    'publish',
    'publish unseen',
    'repeat',
    'reconnect',
    'restart',
    'read',
  ),
  { maxLength: 40 },
);

function run(server: Server, client: Client, step: Step): void {
  switch (step) {
    case 'publish':
      server.seq += 1;
      return client.receive(server, server.cursor);
    case 'publish unseen':
      server.seq += 1;
      return;
    case 'repeat':
      if (server.seq > 0) client.receive(server, { ...server.cursor, seq: Math.max(1, server.seq - 1) });
      return;
    case 'reconnect':
      return client.connect(server);
    case 'restart':
      server.epoch += 1;
      server.seq = 0;
      return client.connect(server);
    case 'read':
      return client.read(server);
  }
}

test('after any history, a client that reconnects shows what the server has', () => {
  fc.assert(
    fc.property(steps, (history) => {
      const [server, client] = [new Server(), new Client()];
      client.connect(server);
      client.read(server);
      for (const step of history) run(server, client, step);
      client.connect(server);
      server.seq += 1;
      client.receive(server, server.cursor);
      assert.deepEqual(client.shown, server.cursor);
    }),
    { numRuns: 500 },
  );
});

test('no update is applied twice or backwards between two reads', () => {
  fc.assert(
    fc.property(steps, (history) => {
      const [server, client] = [new Server(), new Client()];
      client.connect(server);
      client.read(server);
      for (const step of history) {
        run(server, client, step);
        assert.deepEqual(
          client.applied,
          [...new Set(client.applied)].sort((a, b) => a - b),
          history.join(),
        );
      }
    }),
    { numRuns: 500 },
  );
});

test('updates in any order are applied at most once each, and a loss is noticed', () => {
  const order = fc.integer({ min: 1, max: 12 }).chain((count) => {
    const all = Array.from({ length: count }, (_, index) => index + 1);
    return fc.shuffledSubarray([...all, ...all], { minLength: 1 });
  });
  fc.assert(
    fc.property(order, (arrivals) => {
      const positions = new StreamPositions();
      positions.connected({ [id]: { epoch: 'e1', seq: 0 } });
      const applied: number[] = [];
      let hasGap = false;
      for (const seq of arrivals) {
        const verdict = positions.verdict({ integrationId: id, epoch: 'e1', seq });
        if (verdict !== 'ignore') applied.push(seq);
        hasGap ||= verdict === 'gap';
      }
      assert.deepEqual(
        applied,
        applied.toSorted((a, b) => a - b),
      );
      assert.equal(new Set(applied).size, applied.length);
      const isWhole = applied.every((seq, index) => seq === index + 1);
      assert.equal(hasGap, !isWhole);
    }),
  );
});

test('a list is complete only if it is not older than the first update that was received', () => {
  const number = fc.integer({ min: 1, max: 20 });
  fc.assert(
    fc.property(number, fc.integer({ min: 0, max: 5 }), fc.nat(30), (first, more, read) => {
      const positions = new StreamPositions();
      for (let seq = first; seq <= first + more; seq++)
        assert.equal(positions.verdict({ integrationId: id, epoch: 'e1', seq }), 'apply');
      assert.equal(positions.isComplete(id, { epoch: 'e1', seq: read }), read >= first - 1);
    }),
  );
});

test('an update of another epoch is shown, and everything else is read again', () => {
  const positions = new StreamPositions();
  positions.isComplete(id, { epoch: 'e1', seq: 9 });
  assert.equal(positions.verdict({ integrationId: id, epoch: 'e2', seq: 1 }), 'gap');
  assert.equal(positions.verdict({ integrationId: id, epoch: 'e2', seq: 2 }), 'apply');
  assert.equal(positions.verdict({ integrationId: id, epoch: 'e2', seq: 2 }), 'ignore');
});

test('a stream that nobody follows is forgotten, and a followed one continues', () => {
  const positions = new StreamPositions();
  for (const one of ['a', 'b']) positions.isComplete(one, { epoch: 'e1', seq: 3 });
  positions.keepOnly(new Set(['a']));
  const { resume, lost } = positions.connected({ a: { epoch: 'e1', seq: 5 }, b: { epoch: 'e1', seq: 5 } });
  assert.deepEqual([resume, lost], [{ a: { epoch: 'e1', seq: 3 } }, []]);
});
