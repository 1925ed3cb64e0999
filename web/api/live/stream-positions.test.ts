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

test('a gap is reported once, and the stream continues', () => {
  const positions = new StreamPositions();
  positions.connected({ [a]: { epoch: 'e1', seq: 7 } });
  assert.equal(positions.verdict(update(10)), 'gap');
  assert.equal(positions.verdict(update(11)), 'apply');
});

test('a new epoch is a gap with any sequence numbers', () => {
  const positions = new StreamPositions();
  positions.connected({ [a]: { epoch: 'e1', seq: 7 } });
  assert.equal(positions.verdict(update(8, 'e2')), 'gap');
  assert.equal(positions.verdict(update(9, 'e2')), 'apply');
});

test('after a reconnect missed updates are requested, and later ones wait for the replay', () => {
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

test('a stream of another epoch causes a reload', () => {
  const positions = new StreamPositions();
  positions.connected({ [a]: { epoch: 'e1', seq: 7 } });
  const { resume, lost } = positions.connected({ [a]: { epoch: 'e2', seq: 7 } });
  assert.deepEqual({ resume, lost }, { resume: {}, lost: [a] });
});

test('a list read before the first received update is incomplete', () => {
  const positions = new StreamPositions();
  positions.connected({ [a]: { epoch: 'e1', seq: 7 } });
  assert.equal(positions.isComplete(a, { epoch: 'e1', seq: 6 }), false);
  assert.equal(positions.isComplete(a, { epoch: 'e1', seq: 7 }), true);
});

test('a list read before the connection opened sets the stream position', () => {
  const positions = new StreamPositions();
  assert.equal(positions.isComplete(a, { epoch: 'e1', seq: 5 }), true);
  assert.deepEqual(positions.connected({ [a]: { epoch: 'e1', seq: 6 } }).resume, {
    [a]: { epoch: 'e1', seq: 5 },
  });
});

test('only followed streams continue', () => {
  const positions = new StreamPositions();
  positions.connected({ [a]: { epoch: 'e1', seq: 7 } });
  positions.keepOnly(new Set());
  assert.deepEqual(positions.connected({ [a]: { epoch: 'e1', seq: 9 } }).resume, {});
});

test('with lost, repeated or delayed messages the result is gapless or a gap is reported', () => {
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
