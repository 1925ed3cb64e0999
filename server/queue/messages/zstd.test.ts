import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { compress, decompress, isCompressed } from './zstd.ts';

const lengths = [0, 1, 511, 10_000, 65_535, 65_536, 65_537, 1024 * 1024];

test('what is compressed with the kept context is a frame anybody can read, at any length and however random', () => {
  for (const length of lengths) {
    for (const bytes of [Buffer.alloc(length, 'workflow_job '), randomBytes(length)]) {
      const frame = compress(bytes);
      assert.ok(isCompressed(frame));
      assert.ok(zstdDecompressSync(frame).equals(bytes), `${length} bytes`);
    }
  }
});

test('frames of other makers and of many lengths are read one after the other', () => {
  for (const length of lengths) {
    for (const bytes of [Buffer.alloc(length, 'workflow_job '), randomBytes(length)])
      assert.ok(decompress(zstdCompressSync(bytes)).equals(bytes), `${length} bytes`);
  }
});

test('a broken frame is refused, and the next good one is read', () => {
  const frame = compress(Buffer.alloc(10_000, 'abcdefg'));
  assert.throws(() => decompress(Buffer.from('not a frame')));
  assert.throws(() => decompress(frame.subarray(0, frame.length - 5)));
  assert.equal(decompress(frame).length, 10_000);
});

test('no JSON text is taken for a frame', () => {
  assert.equal(isCompressed(Buffer.from('{}')), false);
  assert.equal(isCompressed(Buffer.from('(\u00b5/\u00fd')), false);
  assert.equal(isCompressed(Buffer.alloc(0)), false);
});
