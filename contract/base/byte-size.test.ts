import assert from 'node:assert/strict';
import { test } from 'node:test';
import { byteSize } from './byte-size.ts';

test('a size has the unit that keeps it below 1024, with one decimal below 100', () => {
  const gib = 1024 ** 3;
  const sizes: [number, string][] = [
    [0, '0 B'],
    [1023, '1023 B'],
    [1024, '1 KiB'],
    [1536, '1.5 KiB'],
    [1024 * 1024 - 1, '1 MiB'],
    [512 * 1024 * 1024, '512 MiB'],
    [2 * gib, '2 GiB'],
    [1.26 * gib, '1.3 GiB'],
    [5000 * gib, '4.9 TiB'],
    [5_000_000 * gib, '4883 TiB'],
  ];
  for (const [bytes, text] of sizes) assert.equal(byteSize(bytes), text);
});
