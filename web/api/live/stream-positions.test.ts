import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { StreamPositions } from './stream-positions.ts';

const a = 'integration-a';
const update = (seq: number, epoch = 'e1') => ({ integrationId: a, epoch, seq });

test('each update is applied once and in order', () => {
  const positions = new StreamPositions();
  positions.connected({ [a]: { epoch: 'e1', seq: 7 } });
  assert.equal(positions.verdict(update(8)), 'apply');
  assert.equal(positions.verdict(update(8)), 'ignore');
  assert.equal(positions.verdict(update(3)), 'ignore');
  assert.equal(positions.verdict(update(9)), 'apply');
});

test('a gap is noticed once, and the stream goes on after it', () => {
  const positions = new StreamPositions();
  positions.connected({ [a]: { epoch: 'e1', seq: 7 } });
  assert.equal(positions.verdict(update(10)), 'gap');
  assert.equal(positions.verdict(update(11)), 'apply');
});

test('a new epoch is a gap, whatever its numbers are', () => {
  const positions = new StreamPositions();
  positions.connected({ [a]: { epoch: 'e1', seq: 7 } });
  assert.equal(positions.verdict(update(8, 'e2')), 'gap');
  assert.equal(positions.verdict(update(9, 'e2')), 'apply');
});

test('after a reconnect the missed updates are asked for, and one that overtakes them is left to the replay', () => {
  const positions = new StreamPositions();
  positions.connected({ [a]: { epoch: 'e1', seq: 7 } });
  const { resume, lost } = positions.connected({ [a]: { epoch: 'e1', seq: 9 } });
  assert.deepEqual({ resume, lost }, { resume: { [a]: { epoch: 'e1', seq: 7 } }, lost: [] });
  assert.equal(positions.verdict(update(10)), 'ignore');
  assert.deepEqual(positions.replaying(), [a]);
  assert.deepEqual(
    [8, 9, 10, 11].map((seq) => positions.verdict(update(seq))),
    ['apply', 'apply', 'apply', 'apply'],
  );
  assert.deepEqual(positions.replaying(), []);
});

test('a stream of another epoch is not continued but read again', () => {
  const positions = new StreamPositions();
  positions.connected({ [a]: { epoch: 'e1', seq: 7 } });
  const { resume, lost } = positions.connected({ [a]: { epoch: 'e2', seq: 7 } });
  assert.deepEqual({ resume, lost }, { resume: {}, lost: [a] });
});

test('a list that was read before the first update seen here is not complete', () => {
  const positions = new StreamPositions();
  positions.connected({ [a]: { epoch: 'e1', seq: 7 } });
  assert.equal(positions.isComplete(a, { epoch: 'e1', seq: 6 }), false);
  assert.equal(positions.isComplete(a, { epoch: 'e1', seq: 7 }), true);
});

test('a list that was read before the socket opened is where the stream is continued', () => {
  const positions = new StreamPositions();
  assert.equal(positions.isComplete(a, { epoch: 'e1', seq: 5 }), true);
  assert.deepEqual(positions.connected({ [a]: { epoch: 'e1', seq: 6 } }).resume, {
    [a]: { epoch: 'e1', seq: 5 },
  });
});

test('only streams that somebody follows are continued', () => {
  const positions = new StreamPositions();
  positions.connected({ [a]: { epoch: 'e1', seq: 7 } });
  positions.keepOnly(new Set());
  assert.deepEqual(positions.connected({ [a]: { epoch: 'e1', seq: 9 } }).resume, {});
});

test('whatever is lost, repeated or delayed: what was applied is the stream without a hole, or a gap was told', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 60 }), (seqs) => {
      const positions = new StreamPositions();
      positions.connected({ [a]: { epoch: 'e1', seq: 0 } });
      let last = 0;
      for (const seq of seqs) {
        const verdict = positions.verdict(update(seq));
        if (verdict === 'ignore') assert.ok(seq <= last);
        else {
          assert.equal(verdict, seq === last + 1 ? 'apply' : 'gap');
          last = seq;
        }
      }
    }),
  );
});
